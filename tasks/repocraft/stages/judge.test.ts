import { describe, expect, it } from 'vitest';
import type { AdaptResult, ControlResult, RunResult, ScoreInput, VoteResult } from '../results.js';
import { judge } from './judge.js';

const vote = (parts: Partial<VoteResult>): VoteResult => ({
  ...{ match: 1, entry: 0, accepted: false, lenient: false, confidence: 'high', rounds: 1 },
  ...{ yes: 0, partial: 0, no: 3, abstained: 0 },
  ...parts,
});
const accepted = vote({ accepted: true, lenient: true, match: 2, rounds: 2 });
const located = { searched: true, localized: true, matches: [{ entry: 0, name: 'a.b', score: 0.7 }] };
const adapted: AdaptResult = { adapted: 'ab', refused: null, message: null, renamed: 0 };
const run = (parts: Partial<RunResult>): RunResult => ({
  ...{ passed: false, reason: null, message: null, tests: 1, passedTests: 0, cpuSeconds: 0.1, wallSeconds: 0.2 },
  ...{ report: 'cd', controlDue: false },
  ...parts,
});
const failedAsItMust: ControlResult = { ran: true, vacuous: false, kind: 'constant' };
const input = (parts: Partial<ScoreInput>): ScoreInput => ({
  ...{ located, votes: [], adapted: null, run: null, control: null },
  ...parts,
});

describe('reasons', () => {
  it.each([
    [input({ located: { searched: true, localized: false, matches: [] } }), ['not-localized', 'class.planning']],
    [input({ votes: [vote({})] }), ['vote-rejected', 'class.generation']],
    [input({ votes: [vote({ lenient: true })] }), ['vote-partial', 'class.generation']],
    [
      input({ votes: [accepted], adapted: { ...adapted, adapted: null, refused: 'adapt.string-path' } }),
      ['not-adapted', 'adapt.string-path', 'class.adaptation'],
    ],
    [
      input({ votes: [accepted], adapted, run: run({ reason: 'test.signature' }) }),
      ['test.signature', 'class.generation.api-mismatch'],
    ],
    [
      input({ votes: [accepted], adapted, run: run({ reason: 'test.missing-package' }) }),
      ['test.missing-package', 'class.generation.missing-package'],
    ],
    [
      input({ votes: [accepted], adapted, run: run({ reason: 'test.other' }) }),
      ['test.other', 'class.generation.logic'],
    ],
    [input({ votes: [accepted], adapted, run: run({ reason: 'test.skipped' }) }), ['test.skipped', 'class.execution']],
    [input({ votes: [accepted], adapted, run: run({ passed: true }) }), []],
    [input({ votes: [accepted], adapted, run: run({ passed: true }), control: failedAsItMust }), []],
    [
      input({ votes: [accepted], adapted, run: run({ passed: true }), control: { ...failedAsItMust, vacuous: true } }),
      ['candidate.vacuous', 'class.generation'],
    ],
  ])('%#', (given, reasons) => {
    const verdict = judge(given);
    expect(verdict.reasons).toEqual(reasons);
    expect(verdict.passed).toBe(reasons.length === 0);
    // The class once more where reports read it.
    const classes = Object.entries(verdict.metrics).filter(([name]) => name.startsWith('class.'));
    expect(classes).toEqual(reasons.slice(-1).map((name) => [name, 1]));
  });
});

it('counts a run that a comparison of its test gave away as a control that was not failed', () => {
  const given = input({ votes: [accepted], adapted, run: run({ reason: 'candidate.vacuous' }) });
  expect(judge(given)).toMatchObject({
    reasons: ['candidate.vacuous', 'class.generation'],
    metrics: { negative_control: 0 },
  });
});

it('measures what happened and leaves open what did not', () => {
  expect(judge(input({ votes: [vote({}), accepted], adapted, run: run({ passed: true }) })).metrics).toEqual({
    ...{ localized: 1, voted: 1, voted_lenient: 1, adapted: 1, passed: 1 },
    ...{ negative_control: null, top_score: 0.7, match: 2, vote_rounds: 2 },
  });
  const skipped = { searched: false, localized: true, matches: [] };
  expect(judge(input({ located: skipped, votes: [accepted] })).metrics).toMatchObject({
    localized: null,
    adapted: null,
  });
});

describe('the failure class', () => {
  const [match] = located.matches;
  const sameName = { ...located, sameName: true, matches: [{ ...match!, sameName: true as const }] };
  const unseen = { ...located, sameName: true };
  const missed = { searched: true, localized: false, matches: [], sameName: true };
  const split = vote({ lenient: true, rounds: 2, yes: 3, partial: 2, no: 1 });
  const classOf = (parts: Partial<ScoreInput>, isReference = false) => judge(input(parts), isReference).reasons.at(-1);

  it('is localization where the search missed what is called like the target', () => {
    expect(classOf({ located: missed })).toBe('class.localization');
    expect(classOf({ located: unseen, votes: [vote({})] })).toBe('class.localization');
  });

  it('is validation where the voters could not agree on it', () => {
    expect(classOf({ located: sameName, votes: [split] })).toBe('class.validation');
    expect(classOf({ located: sameName, votes: [vote({ yes: 2, no: 0, abstained: 4 })] })).toBe('class.validation');
    expect(classOf({ located: sameName, votes: [vote({ entry: 7 }), split] })).toBe('class.validation');
  });

  it('is planning where nothing is called like the target and voters mostly said that none of the matches is it', () => {
    const noneSo = { ...located, sameName: false };
    expect(classOf({ located: noneSo, votes: [vote({}), vote({ match: 2, yes: 1, no: 2 })] })).toBe('class.planning');
    const partial = vote({ match: 2, lenient: true, partial: 3, no: 0 });
    expect(classOf({ located: noneSo, votes: [vote({}), partial] })).toBe('class.generation');
    expect(classOf({ located: noneSo, votes: [vote({ no: 0, abstained: 6 })] })).toBe('class.generation');
    expect(classOf({ located: noneSo, votes: [vote({})] }, true)).toBe('class.localization');
  });

  it('is left to the system where the name is all that speaks for it, or nothing', () => {
    expect(classOf({ located: sameName, votes: [vote({ yes: 1, no: 2 })] })).toBe('class.generation');
    const partial = vote({ lenient: true, yes: 1, partial: 2, no: 0 });
    expect(classOf({ located: sameName, votes: [partial] })).toBe('class.generation');
    expect(classOf({ located: sameName, votes: [vote({ no: 0, abstained: 6 })] })).toBe('class.generation');
    expect(classOf({ votes: [split] })).toBe('class.generation');
  });

  it('never blames the reference for what search and voters do to it', () => {
    expect(classOf({ located: { ...missed, sameName: false } }, true)).toBe('class.localization');
    expect(classOf({ votes: [vote({})] }, true)).toBe('class.localization');
    expect(classOf({ located: sameName, votes: [vote({})] }, true)).toBe('class.validation');
  });

  const look = (match: number, isVotedOn: boolean, passed: boolean) => ({
    ...{ match, isVotedOn, passed, adapted: 'ab', reason: passed ? null : 'test.assertion' },
  });

  it('is what a second look found: the voters’ or the search’s, where the test passes on another match', () => {
    const rejected = { located: { ...located, sameName: false }, votes: [vote({})] };
    expect(classOf(rejected)).toBe('class.planning');
    expect(classOf({ ...rejected, looks: [look(1, true, false), look(2, true, true)] })).toBe('class.validation');
    expect(classOf({ ...rejected, looks: [look(4, false, true)] })).toBe('class.localization');
    expect(classOf({ ...rejected, looks: [look(1, true, false), look(4, false, false)] })).toBe('class.planning');
    const ran = { votes: [accepted], adapted, run: run({ reason: 'test.attribute' }) };
    const verdict = judge(input({ ...ran, looks: [look(1, true, true)] }));
    // What stopped it stays the first reason, and it stays failed.
    expect(verdict).toMatchObject({ passed: false, reasons: ['test.attribute', 'class.validation'] });
    expect(verdict.metrics).toMatchObject({ passed: 0, second_look: 1, 'class.validation': 1 });
    expect(judge(input({ ...ran, looks: [] })).metrics).toMatchObject({ second_look: 0 });
    expect(judge(input(ran)).metrics).not.toHaveProperty('second_look');
  });

  it('is adaptation where a second look saw the test pass on what was accepted, with another name guessed', () => {
    const refused = { ...adapted, adapted: null, refused: 'adapt.unbound' };
    const unbound = { votes: [accepted], adapted: refused };
    const guessed = (passed: boolean) => ({ ...look(2, true, passed), isAccepted: true as const, guess: 1 });
    expect(classOf({ ...unbound, looks: [guessed(false)] })).toBe('class.generation');
    expect(classOf({ ...unbound, looks: [look(1, true, false), guessed(true)] })).toBe('class.adaptation');
  });

  it('is planning where nothing is called like the target, and what was not refused like something else of the reference', () => {
    const other = (entry: number) => ({ entry, name: 'a.b', score: 0.7, otherName: true as const });
    const place = { ...located, sameName: false, matches: [other(0), { entry: 1, name: 'a.c', score: 0.6 }] };
    const ran = { located: place, votes: [accepted], adapted, run: run({ reason: 'test.assertion' }) };
    expect(classOf(ran)).toBe('class.planning');
    expect(classOf({ ...ran, votes: [vote({}), { ...accepted, entry: 1 }] })).toBe('class.generation.logic');
    expect(classOf({ ...ran, run: run({ reason: 'candidate.unwatched' }) })).toBe('class.generation');
    expect(judge(input({ ...ran, run: run({ passed: true }) })).reasons).toEqual([]);
    const unbound = { ...adapted, adapted: null, refused: 'adapt.unbound' };
    expect(classOf({ ...ran, adapted: unbound, run: null })).toBe('class.planning');
    expect(classOf({ located: place, votes: [split, vote({ entry: 1 })] })).toBe('class.planning');
    expect(classOf({ located: place, votes: [vote({}), { ...split, entry: 1 }] })).toBe('class.generation');
    // A run says more than a name.
    expect(classOf({ ...ran, looks: [look(2, true, true)] })).toBe('class.validation');
  });

  it('is planning where what was accepted is of another kind than the target', () => {
    const off: AdaptResult = { ...adapted, isOffTarget: true };
    const ran = { votes: [accepted], adapted: off, run: run({ reason: 'test.assertion' }) };
    expect(classOf(ran)).toBe('class.planning');
    expect(classOf({ ...ran, located: unseen })).toBe('class.localization');
    expect(classOf({ ...ran, adapted: { ...off, adapted: null, refused: 'adapt.unbound' }, run: null })).toBe(
      'class.planning',
    );
    // What a candidate did to its process is its own, whatever it was.
    expect(classOf({ ...ran, run: run({ reason: 'candidate.unwatched' }) })).toBe('class.generation');
    expect(judge(input({ ...ran, run: run({ passed: true }) })).reasons).toEqual([]);
  });

  it('changes no verdict: nothing passes by its name', () => {
    for (const [place, votes] of [
      [missed, []],
      [unseen, [vote({})]],
      [sameName, [split]],
    ] as const)
      expect(judge(input({ located: place, votes: [...votes] }))).toMatchObject({
        ...{ passed: false, metrics: { passed: 0, voted: 0 } },
      });
  });
});
