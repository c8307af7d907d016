import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/contract/json.js';
import type { StepCall, TrialStages } from '../../src/contract/trial.js';
import { STEP_LIMIT_BYTES } from '../../src/domain/campaign/step-size.js';
import { repocraftPlans } from './plan.js';

/** Stages that answer from a table and write down what was asked; a list is answered from one by one. */
function scripted(answers: Record<string, Json>) {
  const calls: string[] = [];
  const inputs: Record<string, Json> = {};
  const left = structuredClone(answers);
  const stage = (name: string) => (call?: StepCall) => {
    const key = call?.step === undefined ? name : `${name}{${call.step}}`;
    calls.push(key);
    inputs[key] = call?.input ?? null;
    const answer = left[key] ?? null;
    return Promise.resolve(Array.isArray(answer) ? (answer.shift() ?? null) : answer);
  };
  const names = ['harvest', 'generate', 'localize', 'vote', 'execute', 'score'];
  const stages = {
    ...Object.fromEntries(names.map((name) => [name, stage(name)])),
    skip: (name: string, reason: string) => void calls.push(`skip ${name}: ${reason}`),
  } as unknown as TrialStages;
  return { stages, calls, inputs };
}

async function story(voter: string, answers: Record<string, Json>): Promise<string[]> {
  const { stages, calls } = scripted(answers);
  const settings = { voter, top: 3, project: 'requests' };
  await repocraftPlans.trial({ trialId: 't', taskId: 'a', systemId: 's', repeat: 1, settings }, stages);
  return calls;
}

const matches = [1, 2, 3, 4].map((entry) => ({ entry, name: `m${entry}`, score: 0.5 }));
const located = { searched: true, localized: true, matches };
const yes = { accepted: true, entry: 2 };
const no = { accepted: false, entry: 1 };

describe('one trial', () => {
  it('votes on the matches in turn until one is accepted, then adapts and runs', async () => {
    const answers = {
      localize: located,
      'vote{match-1}': no,
      'vote{match-2}': yes,
      'execute{adapt}': { adapted: 'x' },
    };
    expect(await story('heuristic', answers)).toEqual([
      ...['harvest', 'generate', 'localize', 'vote{match-1}', 'vote{match-2}'],
      ...['execute{adapt}', 'execute{run}', 'score'],
    ]);
  });

  it('runs a control where one is due on a test that passed', async () => {
    const answers = { 'vote{match-1}': yes, 'execute{adapt}': { adapted: 'x' } };
    for (const [run, last] of [
      [{ passed: true, controlDue: true }, ['execute{run}', 'execute{control}', 'score']],
      [{ passed: true, controlDue: false }, ['execute{adapt}', 'execute{run}', 'score']],
    ] as const) {
      expect((await story('oracle', { ...answers, 'execute{run}': run })).slice(-3)).toEqual(last);
    }
  });

  it('skips the search for the oracle and says why', async () => {
    expect(await story('oracle', { 'vote{match-1}': yes, 'execute{adapt}': { adapted: 'x' } })).toEqual([
      ...['harvest', 'generate', 'skip localize: the oracle voter hands the targets over', 'vote{match-1}'],
      ...['execute{adapt}', 'execute{run}', 'score'],
    ]);
  });

  it('ends early where nothing is close to the description', async () => {
    const nothing = { searched: true, localized: false, matches: [] };
    expect(await story('model', { localize: nothing })).toEqual([
      ...['harvest', 'generate', 'localize'],
      'skip vote: nothing in the candidate is close to the description',
      'skip execute: nothing to vote on',
      'score',
    ]);
  });

  it('votes on three matches at most and executes nothing that was not accepted', async () => {
    const answers = { localize: located, 'vote{match-1}': no, 'vote{match-2}': no, 'vote{match-3}': no };
    expect((await story('model', answers)).slice(3)).toEqual([
      ...['vote{match-1}', 'vote{match-2}', 'vote{match-3}', 'skip execute: no match was accepted', 'score'],
    ]);
  });

  it('does not run a test that could not be adapted', async () => {
    const answers = {
      localize: located,
      'vote{match-1}': yes,
      'execute{adapt}': { adapted: null, refused: 'adapt.unbound' },
    };
    expect((await story('model', answers)).slice(4)).toEqual(['execute{adapt}', 'score']);
  });
});

describe('a second look', () => {
  const five = { ...located, matches: [...matches, { entry: 5, name: 'm5', score: 0.4 }] };
  const failed = (passed: boolean, adapted: string | null) => ({ passed, adapted, reason: null });

  async function looked(answers: Record<string, Json>, second_look = true) {
    const nothing = Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`execute{look-${n}}`, failed(false, null)]));
    const none = { ...nothing, 'execute{look-further}': { matches: [] } };
    const { stages, calls, inputs } = scripted({ localize: five, ...none, ...answers });
    const settings = { voter: 'model', top: 3, project: 'requests', ...(second_look ? { second_look } : {}) };
    await repocraftPlans.trial({ trialId: 't', taskId: 'a', systemId: 's', repeat: 1, settings }, stages);
    const after = calls.filter((call) => /execute/.test(call)).map((call) => call.replace(/execute\{(.*)\}/, '$1'));
    return { after, inputs, looks: (inputs['score'] as { looks?: Json }).looks };
  }

  it('runs the test on the matches that were not accepted until it passes, none twice', async () => {
    const { after, inputs, looks } = await looked({
      'vote{match-1}': no,
      'vote{match-2}': yes,
      'execute{adapt}': { adapted: 'first' },
      'execute{run}': { passed: false, reason: 'test.assertion' },
      'execute{look-1}': failed(false, 'second'),
      'execute{look-3}': failed(false, null),
      'execute{look-4}': failed(true, 'third'),
    });
    expect(after).toEqual(['adapt', 'run', 'look-1', 'look-3', 'look-4']);
    expect(looks).toEqual([failed(true, 'third')]);
    expect(inputs['execute{look-1}']).toEqual({ match: 1, entry: 1, isVotedOn: true, tried: ['first'] });
    expect(inputs['execute{look-4}']).toMatchObject({ match: 4, isVotedOn: false, tried: ['first', 'second'] });
  });

  it('is taken at what was voted down, and at what could not be bound', async () => {
    const votes = { 'vote{match-1}': no, 'vote{match-2}': no, 'vote{match-3}': no };
    const look = { 'execute{look-1}': failed(true, 'x') };
    expect((await looked({ ...votes, ...look })).after).toEqual(['look-1']);
    const unbound = {
      'vote{match-1}': { ...yes, entry: 1 },
      'execute{adapt}': { adapted: null, refused: 'adapt.unbound' },
      'execute{look-1-guess-1}': failed(false, null),
    };
    const { after } = await looked({ ...unbound, 'execute{look-2}': failed(true, 'x') });
    expect(after).toEqual(['adapt', 'look-1-guess-1', 'look-2']);
  });

  it('skips what is called like another definition of the reference, and searches further where the test passes on nothing', async () => {
    const votes = { 'vote{match-1}': no, 'vote{match-2}': no, 'vote{match-3}': no };
    const two: Json[] = [
      { entry: 8, name: 'm8', score: 0.4 },
      { entry: 9, name: 'm9', score: 0.4, otherName: true },
    ];
    const further = { matches: [6, 7, 5].map((entry) => ({ entry, name: `m${entry}` })) };
    const { after, inputs, looks } = await looked({
      ...{ ...votes, localize: { ...located, matches: two }, 'execute{look-further}': further },
      ...{ 'execute{look-3}': failed(false, 'a'), 'execute{look-4}': failed(true, 'b') },
    });
    expect(after).toEqual(['look-1', 'look-further', 'look-3', 'look-4']);
    expect(inputs['execute{look-further}']).toEqual({ seen: [8, 9] });
    // Nobody was asked about them, though there were fewer matches than are voted on.
    expect(inputs['execute{look-3}']).toMatchObject({ match: 3, entry: 6, isVotedOn: false, tried: [] });
    expect(looks).toEqual([failed(true, 'b')]);
  });

  it('hands on no look that failed, however many there are: what is scored by stays small', async () => {
    const unbound = { match: 5, isVotedOn: true, passed: false, reason: 'adapt.unbound', adapted: null };
    const places = [1, 2, 3, 4, 5];
    const guesses = places.flatMap((match) => [1, 2, 3].map((guess) => `look-${match}-guess-${guess}`));
    const five = places.map((entry) => ({ entry, name: `m${entry}`, score: 0.5 }));
    const further = places.map((n) => ({ entry: 10 + n, name: `n${n}` }));
    const { after, inputs, looks } = await looked({
      ...{ localize: { ...located, matches: five }, 'vote{match-1}': no, 'vote{match-2}': no, 'vote{match-3}': no },
      ...Object.fromEntries(places.map((match) => [`execute{look-${match}}`, unbound])),
      ...Object.fromEntries(
        guesses.map((step, n) => [`execute{${step}}`, { ...unbound, adapted: String(n).padStart(64, 'a') }]),
      ),
      'execute{look-further}': { matches: further },
      ...Object.fromEntries(places.map((n) => [`execute{look-${5 + n}}`, unbound])),
    });
    expect(after).toHaveLength(26);
    expect(looks).toEqual([]);
    for (const input of Object.values(inputs)) expect(JSON.stringify(input).length).toBeLessThan(STEP_LIMIT_BYTES / 2);
  });

  it('guesses at names beside the target that nothing answers to, on what was accepted as well', async () => {
    const unbound = { passed: false, adapted: null, reason: 'adapt.unbound' };
    const votes = { 'vote{match-1}': no, 'vote{match-2}': yes };
    const adapt = { adapted: null, refused: 'adapt.unbound' };
    const { after, inputs } = await looked({
      ...{ ...votes, 'execute{adapt}': adapt, 'execute{look-1}': unbound },
      ...{ 'execute{look-1-guess-1}': failed(false, 'a'), 'execute{look-1-guess-2}': unbound },
      ...{ 'execute{look-2-guess-1}': failed(false, 'b'), 'execute{look-2-guess-2}': failed(false, 'c') },
      ...{ 'execute{look-2-guess-3}': failed(false, 'd'), 'execute{look-3}': failed(true, 'e') },
    });
    // No third guess where there was no second.
    const guesses = ['look-2-guess-1', 'look-2-guess-2', 'look-2-guess-3'];
    expect(after).toEqual(['adapt', ...guesses, 'look-1', 'look-1-guess-1', 'look-1-guess-2', 'look-3']);
    const place = { match: 2, entry: 2, isAccepted: true, isVotedOn: true };
    expect(inputs['execute{look-2-guess-3}']).toEqual({ ...place, guess: 3, tried: ['b', 'c'] });
    expect(inputs['execute{look-1-guess-1}']).toEqual({
      match: 1,
      entry: 1,
      isVotedOn: true,
      guess: 1,
      tried: ['b', 'c', 'd'],
    });
    // Where the target itself is what nothing answers to, or the test was bound, there is nothing to guess.
    for (const other of [
      { ...adapt, isOffTarget: true },
      { adapted: 'x', refused: null },
    ]) {
      const ran = { 'execute{run}': { passed: false, reason: 'test.type' } };
      const { after: without } = await looked({ ...votes, ...ran, 'execute{adapt}': other });
      expect(without.filter((call) => call.includes('guess'))).toEqual([]);
    }
  });

  it('is not taken at what passed, at a candidate that interfered, nor where nobody asks for it', async () => {
    const ran = (run: Json) => ({ 'vote{match-1}': yes, 'execute{adapt}': { adapted: 'x' }, 'execute{run}': run });
    for (const run of [
      { passed: true, reason: null },
      { passed: false, reason: 'candidate.forged-report' },
    ])
      expect(await looked(ran(run))).toMatchObject({ after: ['adapt', 'run'], looks: undefined });
    const failing = ran({ passed: false, reason: 'test.type' });
    expect(await looked(failing, false)).toMatchObject({ after: ['adapt', 'run'], looks: undefined });
  });
});

describe('a test that a model may rewrite', () => {
  const mechanical = { adapted: 'mechanical', refused: null, message: null };
  const unbound = { adapted: null, refused: 'adapt.unbound', message: 'nothing answers' };
  const rewritten = (name: string) => ({ adapted: name, refused: null, message: null, answer: `answer-${name}` });
  const refused = (code: string) => ({ adapted: null, refused: code, message: code, answer: `answer-${code}` });
  const failed = (reason: string) => ({ passed: false, reason, report: `report-${reason}`, controlDue: false });
  const passed = { passed: true, reason: null, report: 'report', controlDue: true };

  async function rewriting(answers: Record<string, Json>, settings: object = { rewrites: 3 }) {
    const { stages, calls, inputs } = scripted({ localize: located, 'vote{match-1}': yes, ...answers });
    const all = { voter: 'model', top: 3, project: 'requests', ...settings };
    await repocraftPlans.trial({ trialId: 't', taskId: 'a', systemId: 's', repeat: 1, settings: all }, stages);
    const steps = calls.filter((call) => call.startsWith('execute')).map((call) => call.slice(8, -1));
    return { steps, inputs, graded: inputs['score'] as { run: Json; adapted: Json; rewrites?: number } };
  }

  it('is run as it was bound where that passes or fails at an assertion', async () => {
    for (const run of [passed, failed('test.assertion'), failed('candidate.timeout')]) {
      const { steps, graded } = await rewriting({ 'execute{adapt}': mechanical, 'execute{run}': run });
      expect(steps.slice(0, 2)).toEqual(['adapt', 'run']);
      expect(steps.some((step) => step.startsWith('rewrite'))).toBe(false);
      expect(graded).toMatchObject({ rewrites: 0, adapted: mechanical, run });
    }
  });

  it('is never rewritten where the campaign names no model', async () => {
    const answers = { 'execute{adapt}': mechanical, 'execute{run}': failed('test.signature') };
    const { steps, graded } = await rewriting(answers, {});
    expect(steps).toEqual(['adapt', 'run']);
    expect(graded).not.toHaveProperty('rewrites');
  });

  it.each(['test.import', 'test.name', 'test.attribute', 'test.type', 'test.signature'])(
    'is rewritten and run once more after %s, and what is accepted gets its control',
    async (reason) => {
      const { steps, inputs, graded } = await rewriting({
        ...{ 'execute{adapt}': mechanical, 'execute{run}': [failed(reason), passed] },
        'execute{rewrite-1}': rewritten('first'),
      });
      expect(steps).toEqual(['adapt', 'run', 'rewrite-1', 'run', 'control']);
      const trouble = { report: `report-${reason}`, message: null };
      expect(inputs['execute{rewrite-1}']).toEqual({ entry: 2, first: trouble, again: null });
      expect(inputs['execute{control}']).toEqual({ adapted: 'first' });
      expect(graded).toMatchObject({ rewrites: 1, run: passed, adapted: { adapted: 'first' } });
    },
  );

  it('tells the model what the guard and the runner said; the last run counts', async () => {
    const { steps, inputs, graded } = await rewriting({
      ...{ 'execute{adapt}': unbound, 'execute{run}': [failed('test.attribute'), failed('test.assertion')] },
      'execute{rewrite-1}': refused('guard.constant'),
      'execute{rewrite-2}': rewritten('second'),
      'execute{rewrite-3}': rewritten('third'),
    });
    expect(steps).toEqual(['adapt', 'rewrite-1', 'rewrite-2', 'run', 'rewrite-3', 'run']);
    const first = { report: null, message: 'nothing answers' };
    const guarded = { answer: 'answer-guard.constant', trouble: { report: null, message: 'guard.constant' } };
    expect(inputs['execute{rewrite-2}']).toEqual({ entry: 2, first, again: guarded });
    const ran = { answer: 'answer-second', trouble: { report: 'report-test.attribute', message: null } };
    expect(inputs['execute{rewrite-3}']).toEqual({ entry: 2, first, again: ran });
    expect(graded).toMatchObject({ rewrites: 3, run: failed('test.assertion'), adapted: { adapted: 'third' } });
  });

  it('keeps the verdict of the bound test where no rewrite is accepted', async () => {
    const { steps, graded } = await rewriting({
      ...{ 'execute{adapt}': mechanical, 'execute{run}': failed('test.name') },
      ...{ 'execute{rewrite-1}': refused('guard.import'), 'execute{rewrite-2}': refused('guard.structure') },
      'execute{rewrite-3}': refused('guard.raises'),
    });
    expect(steps).toEqual(['adapt', 'run', 'rewrite-1', 'rewrite-2', 'rewrite-3']);
    expect(graded).toMatchObject({ rewrites: 3, run: failed('test.name'), adapted: mechanical });
  });

  it('ends with a model that cannot; an answer that cannot be read is asked for once more', async () => {
    const cannot = await rewriting({ 'execute{adapt}': unbound, 'execute{rewrite-1}': refused('rewrite.cannot') });
    expect(cannot.steps).toEqual(['adapt', 'rewrite-1']);
    expect(cannot.graded).toMatchObject({ rewrites: 1, run: null, adapted: unbound });
    const repaired = await rewriting({
      ...{ 'execute{adapt}': unbound, 'execute{rewrite-1}': refused('rewrite.unreadable'), 'execute{run}': passed },
      'execute{rewrite-2}': rewritten('second'),
    });
    expect(repaired.steps).toEqual(['adapt', 'rewrite-1', 'rewrite-2', 'run', 'control']);
  });

  it('is not begun where nobody judged the match: the trial has no verdict', async () => {
    const undecided = { accepted: false, undecided: true, abstained: 6, entry: 2 };
    await expect(rewriting({ 'vote{match-1}': undecided })).rejects.toMatchObject({ type: 'judge.no-answer' });
  });

  it('has no verdict where the adapter says nothing that can be read, whatever came before', async () => {
    const [unreadable, mute] = [refused('rewrite.unreadable'), { type: 'judge.no-answer' }];
    const twice = { 'execute{adapt}': unbound, 'execute{rewrite-1}': unreadable, 'execute{rewrite-2}': unreadable };
    await expect(rewriting(twice)).rejects.toMatchObject(mute);
    const last = {
      ...{ 'execute{adapt}': mechanical, 'execute{run}': failed('test.name') },
      ...{ 'execute{rewrite-1}': refused('guard.import'), 'execute{rewrite-2}': unreadable },
    };
    await expect(rewriting(last, { rewrites: 2 })).rejects.toMatchObject(mute);
  });

  it('is left alone where the task itself is at fault, or the oracle voted', async () => {
    const broken = { adapted: null, refused: 'adapt.unknown-path', message: 'x' };
    expect((await rewriting({ 'execute{adapt}': broken })).steps).toEqual(['adapt']);
    const byOracle = { 'vote{match-1}': { accepted: true, entry: null }, 'execute{adapt}': unbound };
    expect((await rewriting(byOracle, { rewrites: 3, voter: 'oracle' })).steps).toEqual(['adapt']);
  });
});
