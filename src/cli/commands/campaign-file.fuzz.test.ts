import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCampaignFile } from '../../config/campaign-file.js';
import { packageRoot } from '../../config/package-root.js';
import type { CampaignSpec, SystemSpec } from '../../contract/campaign.js';
import { expandPlan, MAX_TRIALS } from '../../domain/campaign/expand-plan.js';
import { campaignLock } from '../../domain/campaign/lock.js';
import { runCommandLine } from '../program.js';
import { problemText } from '../format/failure-report.js';
import { ownSuites } from '../../suite/registry.js';

const SUITES = await ownSuites();

/** Campaign files nobody wrote by hand: good ones in every dress, good ones with something broken, and nonsense. */
const FILE = 'campaign.yaml';
const ROOT = packageRoot(import.meta.url);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-fuzz-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Raw = Record<string, unknown>;

/** Not one that YAML takes for a number. */
const id = fc
  .stringMatching(/^[a-z0-9][a-z0-9._-]{0,12}$/)
  .filter((name) => typeof parse(name.replaceAll('_', '')) === 'string');
const modelKeys = ['one', 'two'] as const;
const text = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const price = fc.oneof(
  fc.constant('free'),
  fc.record(
    {
      input: fc.integer({ min: 0, max: 90 }),
      output: fc.double({ min: 0, max: 90, noNaN: true }),
      cached_input: fc.nat(9),
    },
    { requiredKeys: ['input', 'output'] },
  ),
);
const model = fc.record(
  {
    name: text,
    base_url: fc.constantFrom('http://127.0.0.1:1/v1', 'https://api.example/v1/'),
    price,
    api_key_env: fc.constantFrom(null, 'FUZZ_KEY'),
    max_output_tokens: fc.integer({ min: 1, max: 9_000 }),
    temperature: fc.constantFrom(null, 0, 0.7, 2),
    timeout_seconds: fc.integer({ min: 1, max: 900 }),
  },
  { requiredKeys: ['name', 'base_url', 'price'] },
);
const spendLimits = { usd: fc.constantFrom(null, 0, 1.5, 60), tokens: fc.constantFrom(null, 0, 5_000_000) };
const limits = fc.record({ ...spendLimits, total: fc.record(spendLimits, { requiredKeys: [] }) }, { requiredKeys: [] });
const common = { purposes: fc.constantFrom({}, { generate: 'two' }), limits };
const echoSystem = fc.oneof(
  fc.record({ generator: fc.constantFrom('echo', 'noise'), ...common }, { requiredKeys: ['generator'] }),
  fc.record(
    { generator: fc.constant('model'), model: fc.constantFrom(...modelKeys), ...common },
    { requiredKeys: ['generator', 'model'] },
  ),
);
const vote = fc.record(
  {
    voter: fc.constant('heuristic'),
    voters: fc.integer({ min: 1, max: 9 }),
    rounds: fc.constantFrom(1, 2),
    top: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: ['voter'] },
);
const repocraftSystem = fc.oneof(
  fc.record(
    { generator: fc.constant('gold'), vote: fc.oneof(vote, fc.constant({ voter: 'oracle' })), ...common },
    { requiredKeys: ['generator', 'vote'] },
  ),
  fc.record({ generator: fc.constant('null'), vote, ...common }, { requiredKeys: ['generator'] }),
  fc.record(
    {
      generator: fc.constant('single-prompt'),
      model: fc.constantFrom(...modelKeys),
      vote: fc.constantFrom({ voter: 'model', model: 'one' }, null),
      ...common,
    },
    { requiredKeys: ['generator', 'model'] },
  ),
);
const suiteParts = fc.oneof(
  fc.record({
    suite: fc.constant('echo'),
    dataset: fc.record(
      { tasks: fc.integer({ min: 1, max: 40 }), share: fc.boolean(), sleepMs: fc.nat(9) },
      { requiredKeys: ['tasks'] },
    ),
    systems: fc.array(echoSystem, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({
    suite: fc.constant('repocraft'),
    dataset: fc.record({ projects: fc.constant(['requests']), limit: fc.integer({ min: 1, max: 20 }) }),
    systems: fc.array(repocraftSystem, { minLength: 1, maxLength: 4 }),
    judge: fc.record({ vote }, { requiredKeys: [] }),
  }),
);
const rest = fc.record(
  {
    repeats: fc.integer({ min: 1, max: 3 }),
    budget: fc.record(
      {
        ...spendLimits,
        wall_hours: fc.constantFrom(0.5, 24),
        trials: fc.integer({ min: 1, max: 99 }),
        soft: fc.constantFrom(0.5, 1),
      },
      { requiredKeys: [] },
    ),
    isolation: fc.constantFrom('candidate', 'container'),
    concurrency: fc.record(
      { batches: fc.integer({ min: 1, max: 9 }), trials: fc.integer({ min: 1, max: 99 }) },
      { requiredKeys: [] },
    ),
    seed: fc.nat(),
  },
  { requiredKeys: [] },
);

/** A file as a person means it. */
const intent: fc.Arbitrary<Raw> = fc
  .tuple(
    id,
    fc.record({ one: model, two: model }),
    suiteParts,
    rest,
    fc.uniqueArray(id, { minLength: 4, maxLength: 4 }),
  )
  .map(([name, models, parts, others, ids]) => ({
    ...{ name, models, ...parts, ...others },
    systems: parts.systems.map((system, index) => ({ id: ids[index], ...system })),
  }));

/** The same file in block or flow style, with or without quotes, comments and blank lines. */
const dressed = fc.tuple(
  intent,
  fc.record({
    indent: fc.integer({ min: 2, max: 4 }),
    collectionStyle: fc.constantFrom('any', 'block', 'flow'),
    defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'),
    defaultKeyType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE'),
    lineWidth: fc.constantFrom(0, 40),
  }),
  fc.constantFrom('', '# a comment\n', '---\n', '\n\n'),
);

function yamlOf([raw, style, before]: [Raw, object, string]): string {
  return before + stringify(raw, style);
}

const read = (yaml: string) => readCampaignFile({ text: yaml, file: FILE, suites: SUITES });

/** A spec in the words of the file it came from, with every default. */
function fileOf(spec: CampaignSpec): Raw {
  const { name, suite, dataset, judge, repeats, concurrency, isolation = 'candidate', seed } = spec;
  const { wallHours: wall_hours, ...limits } = spec.budget;
  const models = Object.entries(spec.models).map(
    ([key, { name: called, baseUrl, apiKeyEnv, price: cost, ...more }]) => [
      key,
      {
        ...{ name: called, base_url: baseUrl, api_key_env: apiKeyEnv, temperature: more.temperature },
        ...{ max_output_tokens: more.maxOutputTokens, timeout_seconds: more.timeoutSeconds },
        price: cost === 'free' ? cost : { input: cost.input, output: cost.output, cached_input: cost.cachedInput },
      },
    ],
  );
  const systems = spec.systems.map(({ snapshot: _, options, ...system }: SystemSpec) => ({
    ...system,
    ...options,
    options,
  }));
  return {
    name,
    suite,
    dataset,
    models: Object.fromEntries(models) as Raw,
    systems,
    judge,
    repeats,
    budget: { ...limits, wall_hours },
    concurrency,
    isolation,
    seed,
  };
}

/** Where something in a file is not, alike, in what was made of it. */
function lost(said: unknown, kept: unknown, path = ''): string[] {
  if (Array.isArray(said)) {
    if (!Array.isArray(kept) || kept.length !== said.length) return [path];
    return said.flatMap((each, index) => lost(each, kept[index], `${path}[${index}]`));
  }
  if (typeof said === 'object' && said !== null) {
    if (typeof kept !== 'object' || kept === null) return [path];
    return Object.entries(said).flatMap(([key, inner]) => lost(inner, (kept as Raw)[key], `${path}.${key}`));
  }
  const isGrouped =
    typeof said === 'string' && /^[-+]?[1-9][0-9]{0,2}(_[0-9]{3})+$/.test(said) && typeof kept === 'number';
  if (isGrouped) return Number(said.replaceAll('_', '')) === kept ? [] : [path];
  // Blanks around an address are no part of it.
  if (typeof said === 'string' && path.endsWith('.base_url'))
    return said.trim().replace(/\/+$/, '') === kept ? [] : [path];
  // A generator called null, and `price.cached_input` where none is given.
  if (said === null) return kept === null || kept === 'null' || kept === undefined ? [] : [path];
  return Object.is(said, kept) || said === kept ? [] : [path];
}

/** Systems × tasks × repeats, each once and in the order of the file. */
async function expectPlanOf(spec: CampaignSpec): Promise<void> {
  const suite = SUITES.find(({ manifest }) => manifest.id === spec.suite)!;
  const isLarge = Number(spec.dataset.tasks ?? 0) * spec.repeats * spec.systems.length > 20_000;
  if (isLarge) return;
  const dataset = await suite.dataset.select(spec.dataset, spec.seed, join(ROOT, 'tasks', spec.suite));
  expect(dataset.tasks.length).toBeGreaterThan(0);
  if (spec.suite === 'echo') expect(dataset.tasks).toHaveLength(Number(spec.dataset.tasks));
  else if (spec.dataset.limit !== undefined && spec.dataset.tasks === undefined)
    expect(dataset.tasks.length).toBe(Number(spec.dataset.limit));
  const lock = campaignLock({
    ...{ spec, datasetDigest: dataset.digest, imageDigests: {}, suiteVersion: '1', graderDigest: 'g' },
  });
  const plan = expandPlan({ id: 'c-0123456789', spec, lock, dataset, suite });
  const planned = plan.batches.flatMap(({ trials }) => trials.map(({ id: trial }) => trial));
  const meant = spec.systems.flatMap((system) =>
    Array.from({ length: spec.repeats }, (_, index) =>
      dataset.tasks.map((task) => `c-0123456789/${task.id}/${system.id}/${index + 1}`),
    ).flat(),
  );
  expect(planned.length).toBeLessThanOrEqual(MAX_TRIALS);
  expect([...planned].sort()).toEqual([...meant].sort());
  expect(new Set(planned).size).toBe(planned.length);
  expect([...new Set(plan.batches.map(({ trials }) => trials[0]?.systemId))]).toEqual(
    spec.systems.map((each) => each.id),
  );
}

/** Refused in three lines that point into the file, or kept whole. */
async function expectRefusedOrKept(yaml: string): Promise<'refused' | 'kept'> {
  const reading = read(yaml);
  if (!('problems' in reading)) {
    const said = parse(yaml, { logLevel: 'silent' }) as Raw;
    expect(lost({ ...said, $schema: null }, fileOf(reading.spec))).toEqual([]);
    await expectPlanOf(reading.spec);
    return 'kept';
  }
  expect(reading.problems.length).toBeGreaterThan(0);
  const lines = yaml.split('\n').length;
  for (const problem of reading.problems) {
    const [, line] = /^campaign\.yaml(?::(\d+):\d+)?: \S/.exec(problem.message) ?? [undefined, '0'];
    expect(Number(line ?? 1), problem.message).toBeGreaterThanOrEqual(1);
    expect(Number(line ?? 1), problem.message).toBeLessThanOrEqual(lines);
    expect(problemText(problem)).toMatch(/^error: \S.*(\n {2}expected: \S.*)?\n {2}fix: \S.*$/);
  }
  return 'refused';
}

const WILD: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    ...[-1, 0, 0.5, 1e308, Infinity, NaN, 2 ** 53, -0, '', ' ', '~', 'null', '5_000', '1e3', 'true', '.inf', '<<'],
    ...['\0', '\ud800', 'a\u202eb', '\u001b[2J', 'constructor', '__proto__', 'toString', 'x'.repeat(300), '*x', '&x'],
    ...[null, true, [], {}, [[]], { a: 1 }, ['requests', 'requests'], ['requests', 'django'], '../..', 'http://a?b#c'],
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Every place of a value, as the object that holds it and the key. */
function places(value: unknown): [holder: Raw, key: string][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => [[value as Raw, key] as [Raw, string], ...places((value as Raw)[key])]);
}

type Mutation = (raw: Raw) => void;
const onPlace = (change: (holder: Raw, key: string) => void) =>
  fc.nat().map((pick): Mutation => (raw) => {
    const all = places(raw);
    const [holder, key] = all[pick % all.length] ?? [raw, 'name'];
    change(holder, key);
  });
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  WILD.chain((value) => onPlace((holder, key) => (holder[key] = structuredClone(value)))),
  onPlace((holder, key) => (Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key])),
  onPlace((holder, key) =>
    Array.isArray(holder) ? holder.push(structuredClone(holder[Number(key)])) : (holder[`${key}s`] = holder[key]),
  ),
  fc.tuple(text, WILD).chain(([name, value]) => onPlace((holder) => (holder[name] = structuredClone(value)))),
);

const TOKENS = [
  ...':{}[]&*!|>\'"%@-?#,~`',
  '\t',
  '\n',
  '  ',
  ': ',
  '- ',
  '\0',
  '\u202e',
  '\ufeff',
  '---\n',
  '<<: *a',
  '&a ',
  '*a',
  '!!binary ',
  '0',
  'null',
];
const edit = fc.tuple(fc.nat(), fc.nat(12), fc.constantFrom('', ...TOKENS));

describe('a campaign file', () => {
  it('means what it says, in every dress', async () => {
    await fc.assert(
      fc.asyncProperty(dressed, async (file) => void expect(await expectRefusedOrKept(yamlOf(file))).toBe('kept')),
      { numRuns: 150 },
    );
  });

  it('with something else in it is refused with its place and the fix, or means what it says', async () => {
    const ends = { refused: 0, kept: 0 };
    await fc.assert(
      fc.asyncProperty(
        dressed,
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        async ([raw, style, before], mutations) => {
          const broken = structuredClone(raw);
          for (const mutate of mutations) mutate(broken);
          ends[await expectRefusedOrKept(yamlOf([broken, style, before]))] += 1;
        },
      ),
      { numRuns: 300 },
    );
    expect(ends.refused).toBeGreaterThan(100);
    expect(ends.kept).toBeGreaterThan(5);
  });

  it('with characters changed is refused with its place and the fix, or means what it says', async () => {
    await fc.assert(
      fc.asyncProperty(dressed, fc.array(edit, { minLength: 1, maxLength: 4 }), async (file, edits) => {
        const changed = edits.reduce((yaml, [at, length, put]) => {
          const from = at % (yaml.length + 1);
          return yaml.slice(0, from) + put + yaml.slice(from + length);
        }, yamlOf(file));
        await expectRefusedOrKept(changed);
      }),
      { numRuns: 300 },
    );
  });

  it('of nonsense is refused in three lines', async () => {
    const nonsense = fc
      .array(fc.oneof(fc.constantFrom('name', 'suite', 'echo', 'systems', 'id', ...TOKENS), text))
      .map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(nonsense, async (yaml) => void (await expectRefusedOrKept(yaml))),
      { numRuns: 300 },
    );
  });

  it('through the command line: 0 or 1, three lines a problem, never an internal error', async () => {
    const bytes = fc.oneof(
      fc.tuple(dressed, mutation).map(([[raw, style, before], mutate]) => {
        const broken = structuredClone(raw);
        mutate(broken);
        return Buffer.from(yamlOf([broken, style, before]));
      }),
      fc.tuple(dressed, fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.nat()).map(([file, wild, at]) => {
        const whole = Buffer.from(yamlOf(file));
        return Buffer.concat([whole.subarray(0, at % whole.length), wild, whole.subarray(at % whole.length)]);
      }),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        await writeFile(join(folder, FILE), content);
        const end = { stdout: '', stderr: '' };
        const code = await runCommandLine({
          ...{
            argv: ['validate', FILE],
            cwd: folder,
            variables: { HOME: folder, DURABENCH_HOME: folder, FUZZ_KEY: 'k' },
          },
          stdout: { write: (said) => (end.stdout += said) },
          stderr: { write: (said) => (end.stderr += said) },
        });
        expect([0, 1]).toContain(code);
        if (code === 0) {
          expect(end.stdout).toContain('is valid');
          expect(end.stderr).toMatch(/^(warning: \S.*\n( {2}(expected|fix): \S.*\n)*)*$/);
          return;
        }
        expect(end.stderr).toMatch(
          /^(warning: \S.*\n( {2}(expected|fix): \S.*\n)*)*(error: \S.*\n( {2}expected: \S.*\n)? {2}fix: \S.*\n)+$/,
        );
        expect(end.stderr).not.toContain('internal error');
      }),
      { numRuns: 150 },
    );
  });
});
