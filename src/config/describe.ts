import { stringify } from 'yaml';
import type {
  BatchApiSpec,
  CampaignSpec,
  ExperimentSpec,
  ModelSpec,
  NotifySpec,
  Price,
  SystemSpec,
} from '../contract/campaign.js';
import { SAMPLING } from './schema.js';

/**
 * A campaign spec as the campaign file it is read from again, with every default filled in and what stood in other files
 * inside. Keys are never in a spec (only the names of their variables); credentials inside a base URL are replaced.
 */
export function describeSpec(spec: CampaignSpec): string {
  const { name, suite, dataset, models, systems, judge, repeats, concurrency, seed } = spec;
  const { wallHours, onAmbiguous = 'retry', ...limits } = spec.budget;
  const budget = { ...limits, ...(wallHours && { wall_hours: wallHours }), on_ambiguous: onAmbiguous };
  const isolation = spec.isolation ?? 'candidate';
  const described = {
    ...{ name, suite, ...(spec.tags && { tags: spec.tags }) },
    ...(spec.notify && { notify: spec.notify.map(notifyInFile) }),
    dataset,
    models: Object.fromEntries(Object.entries(models).map(([key, model]) => [key, modelInFile(model)])),
    systems: systems.map(systemInFile),
    ...{ judge, repeats, budget: stated(budget), isolation, concurrency },
    ...(spec.experiment && { experiment: experimentInFile(spec.experiment) }),
    seed,
  };
  // Systems share the default limits: each has them written out, without anchors.
  return stringify(described, { aliasDuplicateObjects: false });
}

function notifyInFile({ webhookEnv, authorizationEnv, stallMinutes, ...rest }: NotifySpec): object {
  return {
    ...rest,
    ...(webhookEnv !== undefined && { webhook_env: webhookEnv }),
    ...(authorizationEnv !== undefined && { authorization_env: authorizationEnv }),
    stall_minutes: stallMinutes,
  };
}

function modelInFile({ parameters = {}, ...model }: ModelSpec): object {
  const isSampling = ([name]: [string, unknown]): boolean => SAMPLING.some((known) => known === name);
  const given = Object.entries(parameters);
  const further = given.filter((entry) => !isSampling(entry));
  return {
    name: model.name,
    ...(model.rules === undefined ? { base_url: redactUrl(model.baseUrl) } : { rules: model.rules }),
    api_key_env: model.apiKeyEnv,
    price: model.price === 'free' ? model.price : priceInFile(model.price),
    max_output_tokens: model.maxOutputTokens,
    ...(model.reasoningTokens !== undefined && { reasoning_tokens: model.reasoningTokens }),
    temperature: model.temperature,
    ...Object.fromEntries(given.filter(isSampling)),
    ...(further.length > 0 && { extra_body: Object.fromEntries(further) }),
    timeout_seconds: model.timeoutSeconds,
    stored: model.stored ?? false,
    ...(model.batchApi && { batch_api: batchApiInFile(model.batchApi) }),
  };
}

const batchApiInFile = ({ priceFactor, collectSeconds }: BatchApiSpec): object => ({
  ...{ price_factor: priceFactor, collect_seconds: collectSeconds },
});

const experimentInFile = ({ baseline, smallestEffect }: ExperimentSpec): object => ({
  ...{ baseline, smallest_effect: smallestEffect },
});

const priceInFile = ({ input, output, cachedInput }: Price): object => ({
  ...{ input, output },
  ...(cachedInput !== undefined && { cached_input: cachedInput }),
});

/** The packed candidate is made of the path again. */
const systemInFile = ({ snapshot: _snapshot, ...system }: SystemSpec): object => system;

/** Limits that are null but cannot be written so are left out. */
function stated(budget: object): object {
  const entries = Object.entries(budget) as [string, unknown][];
  return Object.fromEntries(entries.filter(([name, value]) => value !== null || name === 'usd' || name === 'tokens'));
}

/** The URL without user, password and query values. */
function redactUrl(text: string): string {
  if (!URL.canParse(text)) return '[not a URL]';
  const url = new URL(text);
  if (url.username !== '') url.username = 'redacted';
  if (url.password !== '') url.password = 'redacted';
  for (const name of [...url.searchParams.keys()]) url.searchParams.set(name, 'redacted');
  return url.toString().replace(/\/$/, '');
}
