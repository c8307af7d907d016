import type { CampaignLock, CampaignSpec, ModelSpec } from '../../contract/campaign.js';
import type { Json } from '../../contract/json.js';
import type { LoosenedLimits } from '../../contract/sandbox-limits.js';
import { jsonHash } from '../text/content-hash.js';

/**
 * Pins a campaign's meaning: the spec without tags, notify, concurrency, budget, endpoints and keys, the dataset,
 * images, suite, grader, prices and seed. A snapshot counts by its bytes, not by the path it was read from.
 */
export function campaignLock(input: {
  spec: CampaignSpec;
  datasetDigest: string;
  /** Image name → recipe digest. */
  imageDigests: Record<string, string>;
  suiteVersion: string;
  /** Digest of grader code, prompts and plans of the suite, from `dist/digests.json`. */
  graderDigest: string;
  /** Of the suite's manifest. */
  sandboxLimits?: LoosenedLimits;
}): CampaignLock {
  const { spec, datasetDigest, imageDigests, suiteVersion, graderDigest, sandboxLimits } = input;
  const body = {
    spec: meaningOf(spec),
    datasetDigest,
    imageDigests,
    suiteVersion,
    graderDigest,
    prices: Object.fromEntries(Object.entries(spec.models).map(([key, model]) => [key, priceOf(model)])),
    ...(sandboxLimits && { sandboxLimits }),
    seed: spec.seed,
  };
  return { sha256: jsonHash(body), ...body };
}

function meaningOf({
  tags: _tags,
  notify: _notify,
  concurrency: _concurrency,
  budget: _budget,
  models,
  systems,
  experiment,
  ...rest
}: CampaignSpec): Json {
  return {
    ...rest,
    ...(experiment && { experiment: { ...experiment } }),
    models: Object.fromEntries(Object.entries(models).map(([key, model]) => [key, modelMeaning(model)])),
    systems: systems.map(({ path: _path, limits, ...system }) => (limits ? { ...system, limits } : system)),
  };
}

function modelMeaning(model: ModelSpec): Json {
  const { name, maxOutputTokens, temperature, timeoutSeconds, reasoningTokens, parameters } = model;
  return {
    ...{ name, maxOutputTokens, temperature, timeoutSeconds },
    // Left out where nothing is said: locks from before these settings stay what they were.
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
    ...(parameters === undefined ? {} : { parameters }),
  };
}

function priceOf({ price, batchApi }: ModelSpec): Json {
  if (price === 'free') return 'free';
  const { input, output, cachedInput } = price;
  return {
    ...{ input, output, cachedInput: cachedInput ?? input },
    ...(batchApi && { batchFactor: batchApi.priceFactor }),
  };
}
