import { expect, test } from 'vitest';
import type { LintFinding } from '../lint/tool-findings.js';
import { verdictOf, type Layers } from './verdict.js';

const ten = { score: 10, findings: [] };
const finding = (parts: Partial<LintFinding>): LintFinding => ({
  ...{
    tool: 'zizmor',
    rule: 'r',
    severity: 'high',
    confidence: 'high',
    file: 'w.yml',
    line: 1,
    column: 1,
    message: 'm',
  },
  ...parts,
});
const layers = (parts: Partial<Layers>): Layers => ({
  ...{ refusal: null, files: 1, waivers: [], tools: null, features: null, runs: null, core: [] },
  syntax: { problems: [], workflows: ['w.yml'], actions: [] },
  scorecard: { tokenPermissions: ten, pinnedDependencies: ten, dangerousWorkflow: ten },
  ...parts,
});
const tools = (...findings: LintFinding[]) => ({
  tools: { findings, strict: findings, limits: [], versions: null },
});

test('what was not executed is null, neither a zero nor a pass', () => {
  expect(verdictOf(layers({}))).toMatchObject({
    passed: true,
    metrics: { syntax: 1, lint: null, features: null, runs: null, core: null, security: null },
  });
});

test('a dangerous workflow fails without the tools, unless the task asks for it', () => {
  const scorecard = {
    tokenPermissions: ten,
    pinnedDependencies: ten,
    dangerousWorkflow: { score: 0, findings: ['x'] },
  };
  expect(verdictOf(layers({ scorecard }))).toMatchObject({
    passed: false,
    reasons: ['lint.dangerous-workflow'],
    metrics: { lint: 0 },
  });
  const waivers: Layers['waivers'] = [{ tool: 'scorecard', rule: 'dangerous-workflow', reason: 'it is the task' }];
  expect(verdictOf(layers({ scorecard, waivers }))).toMatchObject({ passed: true, metrics: { lint: null } });
});

test('the tools fail a candidate for what is severe, and not for their own age', () => {
  expect(verdictOf(layers(tools()))).toMatchObject({ passed: true, metrics: { lint: 1, security: 10 } });
  expect(verdictOf(layers(tools(finding({ severity: 'medium' }))))).toMatchObject({
    passed: true,
    metrics: { lint: 1, security: 8.75 },
  });
  expect(verdictOf(layers(tools(finding({}))))).toMatchObject({ passed: false, reasons: ['lint.zizmor'] });
  for (const rule of ['runner-label', 'action'])
    expect(verdictOf(layers(tools(finding({ tool: 'actionlint', rule })))).passed).toBe(true);
  expect(verdictOf(layers(tools(finding({ tool: 'actionlint', rule: 'glob' })))).reasons).toEqual(['lint.actionlint']);
});

test('runs decide: one that fails, and one that cannot be made', () => {
  const of = (...verdicts: ('passed' | 'failed' | 'unsupported')[]): Layers =>
    layers({
      runs: {
        refused: [],
        assertions: verdicts.map((verdict, event) => ({
          id: 'a',
          scenario: 's',
          event,
          verdict,
          expected: '',
          found: '',
        })),
      },
    });
  expect(verdictOf(of('passed', 'passed'))).toMatchObject({ passed: true, metrics: { runs: 1 } });
  expect(verdictOf(of('passed', 'failed'))).toMatchObject({ passed: false, reasons: ['runs'], metrics: { runs: 0.5 } });
  expect(verdictOf(of('unsupported'))).toMatchObject({
    passed: false,
    reasons: ['runs.unsupported'],
    metrics: { runs: 0 },
  });
});

test('an answer without files fails by its form', () => {
  const problems = [{ file: '', line: 0, column: 0, rule: 'no-workflow', message: 'm' }];
  const syntax = { problems, workflows: [], actions: [] };
  expect(verdictOf(layers({ refusal: 'prose', files: 0, syntax, scorecard: null }))).toMatchObject({
    passed: false,
    reasons: ['format', 'syntax.no-workflow'],
    metrics: { syntax: 0, lint: null, tokenPermissions: null },
  });
});

test('core counts the checks that every prompt states, and no others', () => {
  const features = {
    checks: [
      { id: 'stated-by-all', holds: true, problems: [] },
      { id: 'stated-by-one', holds: false, problems: [] },
    ],
    scores: { recall: 1, precision: 1, f1: 1 },
  } as unknown as Layers['features'];
  const runs: Layers['runs'] = {
    refused: [],
    assertions: (['passed', 'failed'] as const).map((verdict, event) => {
      return { id: 'runs-by-all', scenario: 's', event, verdict, expected: '', found: '' };
    }),
  };
  const core = ['stated-by-all', 'runs-by-all'];
  expect(verdictOf(layers({ features, runs, core })).metrics.core).toBeCloseTo(2 / 3);
  expect(verdictOf(layers({ features, core })).metrics.core).toBe(1);
  expect(verdictOf(layers({ features, runs })).metrics.core).toBeNull();
});

test('core is 0 where GitHub refuses the files, and not unknown', () => {
  const syntax = { problems: [{ rule: 'yaml' }], workflows: [], actions: [] } as unknown as Layers['syntax'];
  expect(verdictOf(layers({ syntax, core: ['a'] })).metrics.core).toBe(0);
});
