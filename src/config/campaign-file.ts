import type { CampaignSpec, ModelSpec, SystemSpec } from '../contract/campaign.js';
import type { JsonObject } from '../contract/json.js';
import type { NotifySpec } from '../contract/campaign.js';
import type { Problem } from '../contract/problem.js';
import { withOptionPlaces } from './option-places.js';
import { referenceProblems } from './reference-problems.js';
import { campaignFileSchema, SAMPLING, SYSTEM_KEYS, type CampaignFile } from './schema.js';
import { problemMessage } from '../domain/failure/problem-text.js';
import { checkShape, inFileOrder, problemAt, unknownWord, type PlacedProblem } from '../domain/shape/shape-problems.js';
import type { SuiteRules } from './suite-rules.js';
import { textProblems } from './text-problems.js';
import { yamlSource, type YamlSource } from '../domain/shape/yaml-source.js';

/** A campaign file as it was written, for checks that look outside the text. Its shape may be broken anywhere. */
export interface CampaignDraft {
  raw: Record<string, unknown>;
  source: YamlSource;
  /** The `dataset` part with its defaults, where nothing is wrong with it and the suite is known. */
  dataset: JsonObject | null;
}

/**
 * A campaign file after reading: a spec, or everything that is wrong with its text. The draft is null where there is
 * nothing that further checks could look at.
 */
export type CampaignReading =
  { spec: CampaignSpec; draft: CampaignDraft } | { problems: Problem[]; draft: CampaignDraft | null };

/**
 * Reads a campaign file: YAML, shape, the suite's own parts, references. All problems are collected, in file order.
 * Nothing outside the text is looked at; keys, paths and prices of the machine are `preflight.ts`.
 */
export function readCampaignFile(input: {
  text: string;
  /** As the user named it; used in messages. */
  file: string;
  suites: readonly SuiteRules[];
}): CampaignReading {
  const source = withOptionPlaces(yamlSource(input.text, input.file));
  if (source.problems.length > 0) return { problems: source.problems, draft: null };
  if (typeof source.value !== 'object' || source.value === null || Array.isArray(source.value))
    return { problems: [notAMapping(source)], draft: null };
  const raw = withTypedNulls(source.value as Record<string, unknown>, source);
  const shape = checkShape({ schema: campaignFileSchema, value: raw, path: [] }, source);
  const suite = input.suites.find((known) => known.manifest.id === raw.suite);
  const parts = suite === undefined ? undefined : checkSuiteParts(suite, raw, source);
  const texts = textProblems(raw, source);
  const found: PlacedProblem[] = [...texts];
  found.push(...[...shape.problems, ...(parts?.problems ?? [])].filter((problem) => !isReported(problem, texts)));
  if (suite === undefined && typeof raw.suite === 'string') {
    const known = input.suites.map((each) => each.manifest.id);
    found.push(unknownWord({ word: raw.suite, kind: 'a suite', known, path: ['suite'], source }));
  }
  found.push(...referenceProblems({ raw, suite, source }).filter((problem) => !isReported(problem, found)));
  const isSelectionSound = parts !== undefined && !found.some(({ path }) => path[0] === 'dataset');
  const draft = { raw, source, dataset: isSelectionSound ? parts.dataset : null };
  if (found.length > 0 || shape.value === undefined || parts === undefined || suite === undefined)
    return { problems: inFileOrder(found), draft };
  const spec = specOf(shape.value, parts, suite);
  const combinations = suite.campaignProblems(spec).map((problem) => placed(problem, source));
  return combinations.length > 0 ? { problems: combinations, draft } : { spec, draft };
}

/** A generator is called `null`; YAML reads the bare word as "no value", which nobody means there. */
function withTypedNulls(raw: Record<string, unknown>, source: YamlSource): Record<string, unknown> {
  if (!Array.isArray(raw.systems)) return raw;
  const systems = raw.systems.map((entry: unknown, index) => {
    if (!isMapping(entry)) return entry;
    const meant = ['id', 'generator'].filter(
      (key) => entry[key] === null && source.typed(['systems', index, key]) === 'null',
    );
    return { ...entry, ...Object.fromEntries(meant.map((key) => [key, 'null'])) };
  });
  return { ...raw, systems };
}

interface SuiteParts {
  dataset: JsonObject;
  judge: JsonObject;
  systems: { vote: JsonObject | null; options: JsonObject }[];
}

function checkSuiteParts(
  suite: SuiteRules,
  raw: Record<string, unknown>,
  source: YamlSource,
): SuiteParts & { problems: PlacedProblem[] } {
  const problems: PlacedProblem[] = [];
  const check = (part: Parameters<typeof checkShape>[0]): JsonObject => {
    const checked = checkShape(part, source);
    problems.push(...checked.problems);
    // Through JSON, so that what is stored is what was checked: no undefined, no class instances.
    return JSON.parse(JSON.stringify(checked.value ?? {})) as JsonObject;
  };
  const dataset = isMapping(raw.dataset ?? {})
    ? check({ schema: suite.schemas.dataset, value: raw.dataset ?? {}, path: ['dataset'] })
    : {};
  const judge = isMapping(raw.judge ?? {})
    ? check({ schema: suite.schemas.judge, value: raw.judge ?? {}, path: ['judge'] })
    : {};
  const entries = Array.isArray(raw.systems) ? (raw.systems as unknown[]) : [];
  const systems = entries.map((entry, index) => {
    if (!isMapping(entry)) return { vote: null, options: {} };
    const path = ['systems', index];
    const vote = isMapping(entry.vote)
      ? check({ schema: suite.schemas.vote, value: entry.vote, path: [...path, 'vote'] })
      : null;
    const nested = isMapping(entry.options) ? entry.options : {};
    const further = Object.fromEntries(Object.entries(entry).filter(([key]) => !SYSTEM_KEYS.includes(key)));
    const options = check({
      schema: suite.schemas.options,
      value: { ...nested, ...further },
      path,
      furtherKeys: SYSTEM_KEYS,
    });
    return { vote, options };
  });
  return { dataset, judge, systems, problems };
}

function specOf(file: CampaignFile, parts: SuiteParts, rules: SuiteRules): CampaignSpec {
  const models = Object.entries(file.models).map(([name, model]): [string, ModelSpec] => [
    name,
    {
      name: model.name,
      // Of a scripted model it is known when the stack serves it (`readCampaign`).
      baseUrl: model.base_url?.replace(/\/+$/, '') ?? '',
      ...(model.rules !== undefined && { rules: model.rules }),
      apiKeyEnv: model.api_key_env,
      price: model.price === 'free' ? 'free' : priceOf(model.price),
      maxOutputTokens: model.max_output_tokens,
      temperature: model.temperature,
      timeoutSeconds: model.timeout_seconds,
      ...(model.reasoning_tokens === undefined ? {} : { reasoningTokens: model.reasoning_tokens }),
      ...parametersOf(model),
      ...(model.stored && { stored: true as const }),
      ...(model.batch_api && {
        batchApi: { priceFactor: model.batch_api.price_factor, collectSeconds: model.batch_api.collect_seconds },
      }),
    },
  ]);
  const systems = file.systems.map((system, index): SystemSpec => ({
    id: system.id,
    generator: system.generator,
    model: system.model,
    purposes: system.purposes,
    path: system.path,
    snapshot: null,
    vote: parts.systems[index]?.vote ?? null,
    options: parts.systems[index]?.options ?? {},
    ...limitsOf(system.limits ?? rules.generators[system.generator]?.limits),
  }));
  const { name, suite, repeats, concurrency, seed } = file;
  const { on_ambiguous: onAmbiguous, wall_hours: wallHours, ...limits } = file.budget;
  const { dataset, judge } = parts;
  return {
    name,
    ...(file.tags !== undefined && file.tags.length > 0 && { tags: [...new Set(file.tags)] }),
    ...(file.notify !== undefined && file.notify.length > 0 && { notify: file.notify.map(notifyOf) }),
    suite,
    dataset,
    models: Object.fromEntries(models),
    systems,
    judge,
    repeats,
    budget: { ...limits, ...(wallHours && { wallHours }), ...(onAmbiguous === 'fail' && { onAmbiguous }) },
    ...(file.isolation === 'container' && { isolation: file.isolation }),
    ...(file.reuse_answers && { reuseAnswers: true as const }),
    concurrency,
    ...experimentOf(file),
    seed,
  };
}

/** Nothing where nothing is said: locks from before experiments stay what they were. */
function experimentOf({ experiment }: CampaignFile): Pick<CampaignSpec, 'experiment'> {
  if (experiment === undefined) return {};
  return { experiment: { baseline: experiment.baseline, smallestEffect: experiment.smallest_effect } };
}

/** JSON has no undefined: what is left out is. */
function notifyOf(each: NonNullable<CampaignFile['notify']>[number]): NotifySpec {
  const { webhook, webhook_env: webhookEnv, authorization_env: authorizationEnv, command, on } = each;
  return {
    ...(webhook !== undefined && { webhook }),
    ...(webhookEnv !== undefined && { webhookEnv }),
    ...(authorizationEnv !== undefined && { authorizationEnv }),
    ...(command !== undefined && { command }),
    ...{ on, stallMinutes: each.stall_minutes },
  };
}

const limitsOf = (limits: SystemSpec['limits']): Pick<SystemSpec, 'limits'> => (limits === undefined ? {} : { limits });

/** Sampling and `extra_body` as the request takes them; nothing where nothing is said, so that old calls are found. */
function parametersOf(model: CampaignFile['models'][string]): Pick<ModelSpec, 'parameters'> {
  const named = SAMPLING.flatMap((name) => (model[name] === undefined ? [] : [[name, model[name]] as const]));
  const parameters: JsonObject = { ...Object.fromEntries(named), ...(model.extra_body as JsonObject | undefined) };
  return Object.keys(parameters).length === 0 ? {} : { parameters };
}

function priceOf(price: Exclude<CampaignFile['models'][string]['price'], 'free'>) {
  const { input, output, cached_input: cachedInput } = price;
  return cachedInput === undefined ? { input, output } : { input, output, cachedInput };
}

function notAMapping(source: YamlSource): Problem {
  return {
    message: `${source.file}:1:1: not a campaign file: ${source.value === null ? 'it is empty' : 'it is not a mapping'}`,
    expected: 'YAML with at least name, suite and systems',
    fix: 'start from examples/quickstart/campaign.yaml',
  };
}

/** A suite's problem with its place in the file. */
export function placed({ path = [], ...problem }: Problem, source: YamlSource): PlacedProblem {
  const message = problemMessage({ ...problem, path });
  return problemAt(source, path, { ...problem, message });
}

function isReported(problem: PlacedProblem, found: readonly PlacedProblem[]): boolean {
  return found.some((other) => problem.path.every((key, index) => other.path[index] === key));
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
