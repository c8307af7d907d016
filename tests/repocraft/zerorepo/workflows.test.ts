import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ModelRulesInput } from '../../../src/fakes/model-rules.js';
import { readTarFile } from '../../../src/suite-kit/tar-entries.js';
import { PACKAGE_ROOT } from '../../fixtures/package-root.js';
import { writeMadeUpLibrary } from '../../fixtures/zerorepo/made-up-library.js';
import { freshDatabase, type FreshDatabase } from '../../fixtures/postgres/postgres.js';
import { openZeroRepoRig, type GenerationEnd, type ZeroRepoRig } from '../../fixtures/zerorepo/zerorepo-rig.js';

/** ZeroRepo's workflows on a real server, with a sandbox that runs nothing: what depends on histories and answers alone. */
const FEATURES = 10;
const OPTIONS = { features: FEATURES, iterations: 2, window: 2, mutants: 0, patience: 2 };
/** Full after a few units. */
const MOST_EVENTS = 100;
/** One more than the first module has. */
const TWO_MODULES = { ...OPTIONS, features: FEATURES + 1 };

let folder: string;
let database: FreshDatabase;
let rig: ZeroRepoRig;
/** Every fault that a provider or a model is rehearsed with, as the example has them. */
let faults: NonNullable<ModelRulesInput['rules']>;

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  folder = await mkdtemp(join(tmpdir(), 'durabench-workflows-'));
  const library = await writeMadeUpLibrary(folder, { features: 2 * FEATURES, modules: 2, chain: 3, from: 'first' });
  const example = join(PACKAGE_ROOT, 'examples', 'zerorepo-textkit', 'faults.rules.yaml');
  ({ rules: faults } = parse(await readFile(example, 'utf8')) as { rules: typeof faults });
  database = await freshDatabase();
  const refusal = { status: 400, error: { message: 'no', code: 'content_policy_violation' } };
  rig = await openZeroRepoRig(database.databaseUrl, {
    rules: {
      library,
      rules: [
        {
          match: { model: 'policed', regex: '# Task: Write code.*## units\\n\\n### `[^`]*::step_0_2`' },
          ...refusal,
        },
        {
          match: {
            model: 'policed',
            regex: '# Task: (Design shared data structures|Lay out a module|Write the README)',
          },
          ...refusal,
        },
        ...faults.map((rule) => ({ ...rule, match: { ...rule.match, model: 'faulty' } })),
        { match: { model: 'unsorting', contains: '# Task: Sort features into modules' }, answer: '{"modules": []}' },
      ],
      default: { plays: 'competent' },
    },
  });
});

afterAll(async () => {
  await rig?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const asked = (model: string): number => rig.model.requests.filter((request) => request.model === model).length;

test('a module goes on in a new history before one is too long: the product is the same, nothing is asked again', async () => {
  const implementing = ({ workflows }: GenerationEnd) => workflows.filter(({ id }) => id.endsWith('0-implement'));
  const whole = await rig.generate({ options: OPTIONS, model: 'whole' });
  const parts = await rig.generate({ options: OPTIONS, model: 'parts', settings: { mostEvents: MOST_EVENTS } });
  expect(implementing(whole)).toHaveLength(1);
  expect(implementing(whole)[0]?.events).toBeGreaterThan(MOST_EVENTS);
  expect(implementing(parts).length).toBeGreaterThanOrEqual(2);
  expect(Math.max(...implementing(parts).map(({ events }) => events))).toBeLessThanOrEqual(MOST_EVENTS);
  expect(parts.candidate).toEqual(whole.candidate);
  expect(parts.candidate.figures).toMatchObject({ units: FEATURES, units_done: FEATURES, repair_rounds: 2 });
  expect(asked('parts')).toBe(asked('whole'));
  const units = parts.workflows.filter(({ type }) => type === 'zerorepoUnit');
  expect(new Set(units.map(({ id }) => id)).size).toBe(units.length);
});

test('every fault of provider and model is got over, and histories may be as short as can be: the product is the same', async () => {
  const [sound, faulty, short] = await Promise.all([
    rig.generate({ options: TWO_MODULES, model: 'sound' }),
    rig.generate({ options: TWO_MODULES, model: 'faulty' }),
    rig.generate({ options: TWO_MODULES, model: 'short', settings: { mostEvents: 1 } }),
  ]);
  expect(sound.candidate.figures).toMatchObject({ modules: 2, units_done: FEATURES + 1 });
  expect(faulty.candidate).toEqual(sound.candidate);
  const used = new Set(rig.model.requests.flatMap(({ model, rule }) => (model === 'faulty' ? [rule] : [])));
  expect(faults.filter(({ name = '' }) => !used.has(name))).toEqual([]);
  expect(short.candidate).toEqual(sound.candidate);
  expect(asked('short')).toBe(asked('sound'));
  // A file, or a unit, in each history.
  const histories = (phase: string): number => short.workflows.filter(({ id }) => id.endsWith(`0-${phase}`)).length;
  expect([histories('design'), histories('implement')]).toEqual([4, FEATURES]);
});

test('what the model refuses fails one unit, or is repaired by rule; the rest is made, and evidence says why', async () => {
  const { candidate, steps } = await rig.generate({
    options: { ...OPTIONS, features: 3, repairs: 1 },
    model: 'policed',
  });
  expect(candidate.figures).toMatchObject({ features: 3, units: 3, units_done: 2, units_failed: 1, cut_by_limit: 0 });
  const evidence = steps.flatMap((row) => row.evidence.map(({ name }) => `${row.step.split('/')[0]} ${name}`));
  expect(evidence).toEqual(
    expect.arrayContaining(['plan refused-layout-1.json', 'write refused-code-1.json', 'repair refused-code-31.json']),
  );
  const tar = await rig.blobs.get(candidate.sha256);
  expect(await readTarFile(tar, 'README.md')).toMatch(/^# ProseMeter/);
});

test('a model that sorts nothing is asked for as many rounds in vain as its system has patience', async () => {
  const { candidate, steps } = await rig.generate({ options: { ...OPTIONS, features: 3 }, model: 'unsorting' });
  // The first is not in vain yet; the last settles by rule.
  expect(steps.filter(({ step }) => step.startsWith('plan/refactor-'))).toHaveLength(1 + OPTIONS.patience + 1);
  expect(candidate.figures).toMatchObject({ features: 3, modules: 1, units_done: 3 });
});
