import { describe, expect, it } from 'vitest';
import type { CampaignLock, CampaignSpec } from '../../contract/campaign.js';
import { isOfQuestion, lockChanges } from './lock-changes.js';
import { campaignLock } from './lock.js';

describe('what differs between two locks', () => {
  it('is nothing where only concurrency, budget, endpoint, key or keeping of answers changed', () => {
    const moved = { ...MODEL, baseUrl: 'http://elsewhere', apiKeyEnv: 'OTHER', stored: true as const };
    const models = { small: moved, judge: moved };
    const other = { ...SPEC, models, budget: { usd: 9, tokens: 9 }, concurrency: { ...SPEC.concurrency, model: 99 } };
    expect(lockChanges(lock(SPEC), lock(other))).toEqual([]);
  });

  it('is no other question where a model is asked through a Batch API, at another price', () => {
    const batched = { ...MODEL, price: { input: 1, output: 2 }, batchApi: { priceFactor: 0.5, collectSeconds: 60 } };
    const alone = { ...MODEL, price: { input: 1, output: 2 } };
    const changes = lockChanges(
      lock({ ...SPEC, models: { ...MODELS, small: alone } }),
      lock({ ...SPEC, models: { ...MODELS, small: batched } }),
    );
    expect(changes.map(({ part }) => part)).toEqual(['prices.small.batchFactor']);
    expect(changes.filter(isOfQuestion)).toEqual([]);
  });

  it.each([
    ['a limit of a system', { systems: [{ ...BIG, limits: limits(20) }, GOLD] }, 'systems.big.limits.usd', ['big']],
    [
      'the prompt of a system',
      { systems: [{ ...BIG, options: { variant: 'b' } }, GOLD] },
      'systems.big.options.variant',
      ['big'],
    ],
    [
      'a model that one system uses',
      { models: { ...MODELS, small: { ...MODEL, temperature: 1 } } },
      'models.small.temperature',
      ['big'],
    ],
    [
      'sampling',
      { models: { ...MODELS, small: { ...MODEL, parameters: { top_p: 1 } } } },
      'models.small.parameters',
      ['big'],
    ],
    [
      'room for thinking',
      { models: { ...MODELS, judge: { ...MODEL, reasoningTokens: 9 } } },
      'models.judge.reasoningTokens',
      'all',
    ],
    ['the model of the judge', { models: { ...MODELS, judge: { ...MODEL, name: 'x' } } }, 'models.judge.name', 'all'],
    ['the judge', { judge: { vote: { models: ['small'] } } }, 'judge.vote.models', 'all'],
    ['the selection of tasks', { dataset: { limit: 40 } }, 'dataset.limit', 'tasks'],
    ['isolation', { isolation: 'container' }, 'isolation', 'all'],
    ['the name', { name: 'other' }, 'name', []],
    ['repeats', { repeats: 3 }, 'repeats', []],
    ['what an experiment decides', { experiment: { baseline: 'gold', smallestEffect: 0.1 } }, 'experiment', []],
    ['a system more', { systems: [BIG, GOLD, { ...GOLD, id: 'more' }] }, 'systems.more', []],
    ['a system less', { systems: [BIG] }, 'systems.gold', []],
  ] as const)('%s is named, with what it invalidates', (_, change, part, invalidates) => {
    const changes = lockChanges(lock(SPEC), lock({ ...SPEC, ...(change as Partial<CampaignSpec>) }));
    expect(changes.map((each) => [each.part, each.invalidates])).toEqual([[part, invalidates]]);
  });

  it('names grader, suite, images, tasks and the sandbox', () => {
    const base = { spec: SPEC, datasetDigest: 'd', imageDigests: { base: 'i' }, suiteVersion: '1', graderDigest: 'g' };
    const after = { spec: SPEC, datasetDigest: 'D', imageDigests: { base: 'I' }, suiteVersion: '2', graderDigest: 'G' };
    const changes = lockChanges(campaignLock(base), campaignLock({ ...after, sandboxLimits: { run: { pids: 9 } } }));
    const invalidated = Object.fromEntries(changes.map(({ part, invalidates }) => [part, invalidates]));
    const all = { 'images.base': 'all', 'suite version': 'all', grader: 'all', 'sandbox limits.run': 'all' };
    expect(invalidated).toEqual({ tasks: 'tasks', ...all });
    expect(changes.find(({ part }) => part === 'grader')).toMatchObject({ before: 'g', after: 'G' });
  });

  it('reads a lock of which it knows nothing', () => {
    expect(lockChanges({ ...lock(SPEC), spec: null }, { ...lock(SPEC), spec: {} })).toEqual([]);
  });
});

const MODEL = {
  ...{ name: 'm', baseUrl: 'http://here', apiKeyEnv: null, price: 'free' as const },
  ...{ maxOutputTokens: 10, temperature: 0, timeoutSeconds: 9 },
};
const MODELS = { small: MODEL, judge: MODEL };
const limits = (usd: number) => ({ usd, tokens: null, total: { usd: null, tokens: null } });
const SYSTEM = { purposes: {}, path: null, snapshot: null, vote: null, options: {} };
const BIG = {
  ...SYSTEM,
  id: 'big',
  generator: 'single-prompt',
  model: 'small',
  options: { variant: 'a' },
  limits: limits(50),
};
const GOLD = { ...SYSTEM, id: 'gold', generator: 'gold', model: null };
const SPEC: CampaignSpec = {
  ...{ name: 'c', suite: 'echo', dataset: { limit: 30 }, models: MODELS, systems: [BIG, GOLD], repeats: 1, seed: 1 },
  judge: { vote: { models: ['judge'] } },
  budget: { usd: 1, tokens: null },
  concurrency: { batches: 1, trials: 1, model: 1, sandbox: 1 },
};

function lock(spec: CampaignSpec): CampaignLock {
  return campaignLock({ spec, datasetDigest: 'd', imageDigests: {}, suiteVersion: '1', graderDigest: 'g' });
}
