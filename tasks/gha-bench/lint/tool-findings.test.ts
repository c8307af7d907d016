import { expect, test } from 'vitest';
import { securityScore } from './security-score.js';
import { actionlintFindings, zizmorFindings, type LintFinding } from './tool-findings.js';

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
  expect(actionlintFindings(output)).toMatchObject([
    { tool: 'actionlint', rule: 'expression', file: '.github/workflows/w.yml', line: 9, column: 24, message },
  ]);
  expect(actionlintFindings([])).toEqual([]);
});

test('zizmor 1.32: rows begin at 0, one place is one finding, and to ask for it to be ignored does not help', () => {
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
  const output = [finding, { ...finding, ignored: true }];
  expect(zizmorFindings(output)).toMatchObject([
    { tool: 'zizmor', rule: 'template-injection', severity: 'high', confidence: 'high', line: 8, column: 15 },
  ]);
});

test('shellcheck, told by actionlint: what is a matter of style is left out', () => {
  const found = (level: string, code: number) => ({
    ...{ filepath: './.github/workflows/w.yml', line: 7, column: 9, kind: 'shellcheck' },
    message: `shellcheck reported issue in this script: SC${code}:${level}:2:3: a message: of it`,
  });
  const output = [found('error', 1072), found('warning', 2164), found('info', 2086), found('style', 2006)];
  expect(actionlintFindings(output)).toMatchObject([
    { tool: 'shellcheck', rule: 'SC1072', severity: 'medium', file: '.github/workflows/w.yml', line: 7 },
    { tool: 'shellcheck', rule: 'SC2164', severity: 'low', message: 'line 2 of the script: a message: of it' },
  ]);
});

test('output of another form is refused', () => {
  for (const read of [actionlintFindings, zizmorFindings])
    for (const output of [null, {}, [{}], 'panic: x']) expect(() => read(output)).toThrow();
  const other = {
    filepath: 'w.yml',
    line: 1,
    column: 1,
    kind: 'shellcheck',
    message: 'shellcheck says something else',
  };
  expect(() => actionlintFindings([other])).toThrow(/another form/);
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
