import { describe, expect, test } from 'vitest';
import { calibrationFigures } from './calibration-figures.js';
import { calibrationGoals } from './calibration-goals.js';
import { calibrationReport } from './calibration-report.js';
import type { TrialFacts } from './trial-facts.js';

const RIGHT = { name: 'easy.load', right: true };
const WRONG = { name: 'easy.save', right: false };
const BOUND = { refused: null, message: null, wrong: [] };
const REFUSED = { refused: 'adapt.unbound', message: 'nothing answers to lib.load', wrong: [] };

/** A trial in which everything went well, but for what is said. */
const fact = (parts: Partial<TrialFacts> = {}): TrialFacts => ({
  ...{ task: 'lib-load-001', project: 'lib', kind: 'renamed', word: 'renamed', voter: 'truth', expected: 'passed' },
  ...{ passed: true, reason: null, target: 'easy.load', documented: true, matches: [RIGHT, WRONG] },
  ...{ decisions: [{ right: true, accepted: true }], adaptation: BOUND },
  ...parts,
});
const of = (hits: number, all: number) => ({ hits, all });

describe('localization', () => {
  test('counts tasks whose target is there, at the first place and among the first five', () => {
    const facts = [
      fact(),
      fact({ matches: [WRONG, WRONG, RIGHT] }),
      fact({ matches: [WRONG] }),
      fact({ matches: [] }),
      fact({ kind: 'partial', target: null, matches: [WRONG], expected: 'failed', passed: false }),
    ];
    expect(calibrationFigures(facts)).toMatchObject({ recallAt1: of(1, 4), recallAt3: of(2, 4), recallAt5: of(2, 4) });
  });
});

describe('vote', () => {
  test('counts decisions: accepted ones that are right, right ones that are accepted', () => {
    const facts = [
      fact({ decisions: [no(false), no(true), yes(true)] }),
      fact({ decisions: [yes(false)] }),
      fact({ kind: 'partial', target: null, expected: 'failed', passed: false, decisions: [no(false), yes(false)] }),
    ];
    expect(calibrationFigures(facts)).toMatchObject({
      votePrecision: of(1, 3),
      voteRecall: of(1, 2),
      accepted: of(3, 3),
    });
  });

  test('leaves out candidates where the right entry is broken', () => {
    const facts = [fact({ kind: 'stubbed', expected: 'failed', passed: false, decisions: [no(true)] })];
    expect(calibrationFigures(facts)).toMatchObject({
      votePrecision: of(0, 0),
      voteRecall: of(0, 0),
      accepted: of(0, 1),
    });
  });
});

const yes = (right: boolean) => ({ right, accepted: true });
const no = (right: boolean) => ({ right, accepted: false });

describe('adaptation and execution', () => {
  const bad = { ...{ passed: false, reason: 'test.assertion' } };
  const facts = [
    fact(),
    fact(bad),
    fact({ ...bad, adaptation: REFUSED }),
    fact({ ...bad, adaptation: { ...BOUND, wrong: ['lib.a → easy.b, not easy.a'] } }),
    // Not the adaptation's doing.
    fact({
      ...bad,
      decisions: [yes(false)],
      adaptation: { ...BOUND, wrong: ['lib.load → easy.save, not easy.load'] },
    }),
    fact({ ...bad, expected: 'unsound', adaptation: REFUSED }),
  ];

  test('counts what is rightly voted and expected to pass', () => {
    expect(calibrationFigures(facts)).toMatchObject({
      ...{ trials: 6, unsound: 1, adaptAccepted: of(3, 4), adaptCorrect: of(2, 3) },
      ...{ falseFails: of(1, 2), passed: of(1, 5), falsePasses: of(0, 0) },
    });
  });

  test('counts every pass of what has to fail, whoever voted', () => {
    const broken = { kind: 'mutated' as const, word: 'mutated', expected: 'failed' as const };
    const mutants = [
      fact({ ...broken, ...bad }),
      fact({ ...broken, decisions: [yes(false)] }),
      fact({ ...broken, expected: 'passed' }),
    ];
    expect(calibrationFigures(mutants)).toMatchObject({ falsePasses: of(1, 2), passed: of(1, 1) });
  });
});

describe('what was not executed', () => {
  const unrun = { passed: null, reason: null };
  const facts = [
    fact(unrun),
    fact({ ...unrun, task: 'b', adaptation: REFUSED }),
    fact({ ...unrun, task: 'c', kind: 'partial', expected: 'untried' }),
  ];

  test('is searched, voted on and adapted, and neither passes nor fails', () => {
    expect(calibrationFigures(facts)).toMatchObject({
      ...{ unsound: 0, recallAt5: of(3, 3), voteRecall: of(3, 3), adaptAccepted: of(1, 2), adaptCorrect: of(1, 1) },
      ...{ falsePasses: of(0, 0), falseFails: of(0, 0), passed: of(0, 0) },
    });
  });

  test('has no table of executions, and no goals of them', () => {
    const { tables } = calibrationReport(facts, 0);
    expect(tables.find(({ title }) => title === 'Execution')?.rows).toEqual([]);
    const localization = tables.find(({ title }) => title === 'Localization');
    expect(JSON.stringify(localization)).not.toMatch(/unsound/i);
    expect(localization?.rows.map((row) => row.length)).toEqual([localization?.columns.length]);
    expect(tables[0]?.rows.map((row) => row.at(-1))).toEqual([
      'held',
      'not measured',
      'not measured',
      'held',
      'missed',
      'not measured',
      'not measured',
    ]);
    expect(tables.at(-1)?.rows.map(([cause]) => cause)).toEqual(['refused: adapt.unbound']);
  });
});

describe('goals', () => {
  test('count a task of a candidate once, with the voter under whom it got furthest', () => {
    const rejected = { decisions: [no(true)], adaptation: null, passed: false, reason: 'vote-rejected' };
    const goals = calibrationGoals([fact({ voter: 'heuristic', ...rejected }), fact()]);
    expect(goals.map(({ measured, held }) => [measured.hits, measured.all, held])).toEqual([
      ...[
        [1, 1, true],
        [0, 0, null],
        [0, 0, null],
        [1, 1, true],
        [1, 1, true],
      ],
      ...[
        [0, 0, null],
        [0, 1, true],
      ],
    ]);
  });

  test('a false pass under one voter is one, and the goal is missed', () => {
    const decoy = { kind: 'decoys' as const, word: 'decoys', expected: 'failed' as const };
    const goals = calibrationGoals([fact({ ...decoy, passed: false }), fact({ ...decoy, voter: 'heuristic' })]);
    expect(goals.find(({ goal }) => goal.startsWith('false passes'))).toMatchObject({
      ...{ measured: of(1, 1), held: false },
    });
  });

  test('reworded targets with and without a docstring are goals apart, and rows apart', () => {
    const reworded = { kind: 'reworded' as const, word: 'reworded' };
    const facts = [fact(reworded), fact({ ...reworded, task: 'b', documented: false, matches: [WRONG] })];
    const [, documented, bare] = calibrationGoals(facts);
    expect([documented, bare].map((goal) => [goal?.asked.share, goal?.measured, goal?.held])).toEqual([
      [0.95, of(1, 1), true],
      [0.85, of(0, 1), false],
    ]);
    expect(calibrationReport(facts, 0).tables[1]?.rows.map((row) => row[1])).toEqual([
      ...['reworded', 'reworded, no docstring'],
    ]);
  });
});

test('the report has a table for each stage, and names every case that went wrong', () => {
  const refused = { passed: false, reason: 'not-adapted', adaptation: REFUSED };
  const { tables, metrics } = calibrationReport([fact(), fact({ task: 'lib-load-002', ...refused })], 3);
  expect(tables.map(({ title }) => title)).toEqual([
    ...['Goals', 'Localization', 'Vote', 'Adaptation', 'Execution', 'Where it went wrong'],
  ]);
  expect(tables[0]?.notes).toEqual(['3 trials have no verdict and are in no figure.']);
  expect(tables[1]?.columns.map(({ title }) => title)).toContain('unsound');
  expect(tables[1]?.notes.join(' ')).toContain('Unsound: the derivation broke the test');
  expect(tables[3]?.rows[0]?.slice(0, 4)).toEqual(['lib', 'renamed', 'truth', '1 / 2']);
  expect(tables[5]?.rows).toEqual([
    ['refused: adapt.unbound', 1, 'lib-load-002 renamed truth', 'nothing answers to lib.load'],
  ]);
  expect(metrics).toMatchObject({ ungraded: 3 });
});

test('what candidates score that do nothing has a table of its own, beside null', () => {
  const object = { kind: 'constant-object' as const, word: 'constant-object', expected: 'failed' as const };
  const vacuous = { ...object, passed: false, reason: 'candidate.vacuous' };
  const { tables } = calibrationReport([fact(), fact(object), fact({ ...vacuous, task: 'b' })], 0);
  const baselines = tables.find(({ title }) => title === 'Baselines');
  expect(baselines?.rows.map(([project, kind, , share, , caught]) => [project, kind, share, caught])).toEqual([
    ['lib', 'constant-object', '1 / 2', 1],
  ]);
  expect(baselines?.notes.join(' ')).toContain('`null`');
});
