import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemSpec } from '../../fakes/suite-bench.js';
import type { CampaignSpec } from '../../contract/campaign.js';
import type { DatasetSelection, TaskSummary } from '../../contract/task.js';
import { expandPlan, trialCount } from './expand-plan.js';
import { campaignLock } from './lock.js';

const model = {
  name: 'm',
  baseUrl: 'http://one/v1',
  apiKeyEnv: 'KEY',
  price: { input: 1, output: 2 },
  maxOutputTokens: 10,
  temperature: null,
  timeoutSeconds: 5,
};

function specWith(changes: Partial<CampaignSpec> = {}): CampaignSpec {
  return {
    name: 'c',
    suite: 's',
    dataset: {},
    models: { big: model },
    systems: ['gold', 'slow'].map((id) => systemSpec({ id, generator: id })),
    judge: {},
    repeats: 2,
    budget: { usd: 1, tokens: null },
    concurrency: { batches: 2, trials: 16, model: 8, sandbox: 2 },
    seed: 7,
    ...changes,
  };
}

const task = (id: string, candidateScope: string | null): TaskSummary => ({
  id,
  sha256: id,
  group: candidateScope ?? 'all',
  category: null,
  candidateScope,
});

const datasetOf = (tasks: TaskSummary[]): DatasetSelection => ({ suite: 's', label: 's@1', digest: 'd', tasks });

const lockOf = (spec: CampaignSpec) =>
  campaignLock({ spec, datasetDigest: 'd', imageDigests: { base: 'i' }, suiteVersion: '1', graderDigest: 'g' });

const suite = {
  generators: { gold: { phase: 'grade' as const }, slow: { phase: 'generate' as const } },
  trialSettings: (_: CampaignSpec, system: { id: string }, of: TaskSummary) => ({ about: `${system.id} ${of.id}` }),
};

const expand = (tasks: TaskSummary[], spec = specWith()) =>
  expandPlan({ id: 'c-1', spec, lock: lockOf(spec), dataset: datasetOf(tasks), suite });

describe('expandPlan', () => {
  it('makes one batch per shared candidate, in the phase of its generator', () => {
    const plan = expand([task('a', 'requests'), task('b', 'django'), task('c', 'requests')]);
    expect(
      plan.batches.map(({ id, phase, generation, trials }) => [
        id,
        phase,
        generation?.id,
        trials.map((each) => each.id),
      ]),
    ).toEqual([
      ['c-1/1', 'grade', 'c-1/gold/requests/1', ['c-1/a/gold/1', 'c-1/c/gold/1']],
      ['c-1/2', 'grade', 'c-1/gold/django/1', ['c-1/b/gold/1']],
      ['c-1/3', 'grade', 'c-1/gold/requests/2', ['c-1/a/gold/2', 'c-1/c/gold/2']],
      ['c-1/4', 'grade', 'c-1/gold/django/2', ['c-1/b/gold/2']],
      ['c-1/5', 'generate', 'c-1/slow/requests/1', ['c-1/a/slow/1', 'c-1/c/slow/1']],
      ['c-1/6', 'generate', 'c-1/slow/django/1', ['c-1/b/slow/1']],
      ['c-1/7', 'generate', 'c-1/slow/requests/2', ['c-1/a/slow/2', 'c-1/c/slow/2']],
      ['c-1/8', 'generate', 'c-1/slow/django/2', ['c-1/b/slow/2']],
    ]);
    expect(plan.batches[0]?.trials[0]?.settings).toEqual({ about: 'gold a' });
  });

  it('cuts trials that make their own candidates into chunks of 200', () => {
    const plan = expand(
      Array.from({ length: 401 }, (_, n) => task(`t${n}`, null)),
      specWith({ repeats: 1 }),
    );
    expect(plan.batches.map((batch) => [batch.generation, batch.trials.length])).toEqual(
      [200, 200, 1, 200, 200, 1].map((size) => [null, size]),
    );
  });

  it('has every (task, system, repeat) exactly once, whatever the mixture', () => {
    const tasks = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z0-9]{1,8}$/), fc.constantFrom(null, 'p', 'q')), {
      selector: ([id]) => id,
      maxLength: 450,
      minLength: 1,
    });
    fc.assert(
      fc.property(tasks, fc.integer({ min: 1, max: 3 }), (drawn, repeats) => {
        const plan = expand(
          drawn.map(([id, scope]) => task(id, scope)),
          specWith({ repeats }),
        );
        const ids = plan.batches.flatMap((batch) => batch.trials.map((trial) => trial.id));
        expect(new Set(ids).size).toBe(ids.length);
        expect(trialCount(plan)).toBe(drawn.length * 2 * repeats);
        for (const batch of plan.batches) expect(batch.trials.length).toBeLessThanOrEqual(batch.generation ? 500 : 200);
      }),
      { numRuns: 30 },
    );
  });

  it('refuses what would not fit: 501 tasks on one candidate, a task twice, ids too long for a workflow', () => {
    expect(() => expand(Array.from({ length: 501 }, (_, n) => task(`t${n}`, 'p')))).toThrow(/at most 500/);
    expect(() => expand([task('a', 'p'), task('a', 'p')])).toThrow(/twice/);
    const id = 'c'.repeat(170);
    const long = {
      id,
      spec: specWith(),
      lock: lockOf(specWith()),
      dataset: datasetOf([task('t'.repeat(80), 'p')]),
      suite,
    };
    expect(() => expandPlan(long)).toThrow(/longer than 236 characters/);
  });
});

describe('campaignLock', () => {
  const base = lockOf(specWith()).sha256;

  it('is the same for the same question: concurrency, budget, endpoint, key and folder do not count', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1 }),
        fc.webUrl(),
        fc.string(),
        fc.double({ min: 0, noNaN: true }),
        (n, baseUrl, apiKeyEnv, usd) => {
          const spec = specWith({
            concurrency: { batches: n, trials: n, model: n, sandbox: n },
            budget: { usd, tokens: n },
            models: { big: { ...model, baseUrl, apiKeyEnv } },
            systems: specWith().systems.map((system) => ({ ...system, path: baseUrl })),
          });
          expect(lockOf(spec).sha256).toBe(base);
        },
      ),
    );
  });

  it('does not depend on the order of keys', () => {
    const reversed = Object.fromEntries(Object.entries(specWith()).reverse()) as unknown as CampaignSpec;
    expect(lockOf(reversed).sha256).toBe(base);
  });

  it.each<[string, Partial<CampaignSpec>]>([
    ['seed', { seed: 8 }],
    ['repeats', { repeats: 3 }],
    ['dataset', { dataset: { limit: 3 } }],
    ['judge', { judge: { vote: { voter: 'oracle' } } }],
    ['price', { models: { big: { ...model, price: 'free' } } }],
    ['model name', { models: { big: { ...model, name: 'n' } } }],
    ['temperature', { models: { big: { ...model, temperature: 1 } } }],
    ['systems', { systems: specWith().systems.slice(1) }],
    [
      'snapshot bytes',
      { systems: specWith().systems.map((each) => ({ ...each, snapshot: { sha256: 'x', sizeBytes: 1, files: 1 } })) },
    ],
  ])('changes with the %s', (_, changes) => {
    expect(lockOf(specWith(changes)).sha256).not.toBe(base);
  });

  it('changes with dataset, image, suite, grader and the limits the suite loosens', () => {
    const parts = {
      spec: specWith(),
      datasetDigest: 'd',
      imageDigests: { base: 'i' },
      suiteVersion: '1',
      graderDigest: 'g',
    };
    const others = [
      { datasetDigest: 'e' },
      { imageDigests: { base: 'j' } },
      { suiteVersion: '2' },
      { graderDigest: 'h' },
      { sandboxLimits: { parse: { cpuSeconds: 60 } } },
    ];
    for (const other of others) expect(campaignLock({ ...parts, ...other }).sha256).not.toBe(base);
    expect(campaignLock(parts).sha256).toBe(base);
  });
});
