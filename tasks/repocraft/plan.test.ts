import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/contract/json.js';
import type { StepCall, TrialStages } from '../../src/contract/trial.js';
import { repocraftPlans } from './plan.js';

/** Stages that answer from a table and write down what was asked. */
function scripted(answers: Record<string, Json>) {
  const calls: string[] = [];
  const stage = (name: string) => (call?: StepCall) => {
    const key = call?.step === undefined ? name : `${name}{${call.step}}`;
    calls.push(key);
    return Promise.resolve(answers[key] ?? null);
  };
  const names = ['harvest', 'generate', 'localize', 'vote', 'execute', 'score'];
  const stages = {
    ...Object.fromEntries(names.map((name) => [name, stage(name)])),
    skip: (name: string, reason: string) => void calls.push(`skip ${name}: ${reason}`),
  } as unknown as TrialStages;
  return { stages, calls };
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

  it('runs a canary where one is due on a test that passed', async () => {
    const answers = { 'vote{match-1}': yes, 'execute{adapt}': { adapted: 'x' } };
    for (const [run, last] of [
      [{ passed: true, canaryDue: true }, ['execute{run}', 'execute{canary}', 'score']],
      [{ passed: true, canaryDue: false }, ['execute{adapt}', 'execute{run}', 'score']],
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
