import { expect, test } from 'vitest';
import { securityScore } from './security-score.js';
import { actionlintFindings, shellcheckFindings, zizmorFindings, type LintFinding } from './tool-findings.js';

test('actionlint 1.7.12', () => {
  const message = 'property "nam" is not defined in object type {name: string}';
  const output = [
    {
      message,
      filepath: '.github/workflows/w.yml',
      line: 9,
      column: 24,
      end_column: 30,
      kind: 'expression',
      snippet: '',
    },
  ];
  expect(actionlintFindings(JSON.stringify(output))).toMatchObject([
    { tool: 'actionlint', rule: 'expression', file: '.github/workflows/w.yml', line: 9, column: 24, message },
  ]);
  expect(actionlintFindings('[]')).toEqual([]);
});

test('zizmor 1.32: rows begin at 0, and one place is one finding', () => {
  const finding = {
    ident: 'template-injection',
    desc: 'code injection via template expansion',
    url: '',
    determinations: { confidence: 'High', severity: 'High', persona: 'Regular' },
    locations: [
      {
        symbolic: {
          key: { Local: { prefix: null, given_path: 'w.yml', verbatim_path: '.github/workflows/w.yml' } },
          annotation: 'may expand into attacker-controllable code',
          route: { route: [{ Key: 'jobs' }, { Key: 'a' }] },
          feature_kind: 'Normal',
          kind: 'Primary',
        },
        concrete: {
          location: { start_point: { row: 7, column: 14 }, end_point: { row: 7, column: 50 } },
          feature: '',
          comments: [],
        },
      },
    ],
    ignored: false,
  };
  const output = JSON.stringify([finding, finding, { ...finding, ignored: true }]);
  expect(zizmorFindings(output)).toMatchObject([
    { tool: 'zizmor', rule: 'template-injection', severity: 'high', confidence: 'high', line: 8, column: 15 },
  ]);
});

test('shellcheck: what is a matter of style is left out', () => {
  const found = (level: string, code: number) => ({
    file: '-',
    line: 2,
    endLine: 2,
    column: 1,
    endColumn: 3,
    level,
    code,
    message: 'm',
    fix: null,
  });
  const output = JSON.stringify([
    found('error', 1072),
    found('warning', 2164),
    found('info', 2086),
    found('style', 2006),
  ]);
  expect(shellcheckFindings(output).map(({ rule, severity }) => [rule, severity])).toEqual([
    ['SC1072', 'medium'],
    ['SC2164', 'low'],
  ]);
});

test('output of another form is refused', () => {
  for (const read of [actionlintFindings, zizmorFindings, shellcheckFindings])
    for (const output of ['', '{}', '[{}]', 'panic: x']) expect(() => read(output)).toThrow();
});

test('a score from 0 to 10: less for what is worse and surer, and one habit is one habit', () => {
  const finding = (
    rule: string,
    severity: LintFinding['severity'],
    confidence: LintFinding['confidence'] = 'high',
  ): LintFinding => ({
    ...{ tool: 'zizmor', rule, severity, confidence, file: '', line: 1, column: 1, message: '' },
  });
  expect(securityScore([])).toBe(10);
  expect(securityScore([finding('a', 'high')])).toBe(7.5);
  expect(securityScore([finding('a', 'high', 'low')])).toBe(9);
  expect(securityScore(Array.from({ length: 10 }, () => finding('a', 'high')))).toBe(6);
  expect(
    securityScore(['a', 'b', 'c'].flatMap((rule) => Array.from({ length: 10 }, () => finding(rule, 'high')))),
  ).toBe(0);
  expect(securityScore([finding('a', 'medium'), finding('b', 'low'), finding('c', 'info')])).toBeCloseTo(8.25);
});
