import OpenAI from 'openai';
import type { ModelSpec } from '../../contract/campaign.js';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import { limitedFetch } from './limited-fetch.js';
import { modelProblem, placeOf } from './model-problems.js';

/** A client of a model's endpoint, and the key it sends: to be cut out of what comes back. */
type Reach = (spec: ModelSpec) => { client: OpenAI; key: string | null };

/** Clients by endpoint and key. @param fetch bounds what a reply may hold */
export function createReach(readKeyOf: (envName: string) => string | undefined, fetch = limitedFetch): Reach {
  const clients = new Map<string, OpenAI>();
  return (spec) => {
    const key = readKey(spec, readKeyOf);
    const id = `${spec.baseUrl}\n${key ?? ''}`;
    const client = clients.get(id) ?? newClient(spec.baseUrl, key, fetch);
    clients.set(id, client);
    return { client, key };
  };
}

/** What an Authorization header takes; of anything else `fetch` complains by repeating it. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** Everything the client would otherwise take from the environment is given here. */
function newClient(baseURL: string, key: string | null, fetch: typeof limitedFetch): OpenAI {
  return new OpenAI({
    baseURL,
    apiKey: key ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    fetch,
    logLevel: 'off',
    defaultHeaders: key === null ? { Authorization: null } : {},
  });
}

function readKey(spec: ModelSpec, read: (envName: string) => string | undefined): string | null {
  if (spec.apiKeyEnv === null) return null;
  const key = read(spec.apiKeyEnv);
  if (key && SENDABLE.test(key)) return key;
  const what = key
    ? `the key of ${placeOf(spec)} cannot be sent: ${spec.apiKeyEnv} holds a character that no key has: a line break, a space or a typographic quote`
    : `the key of ${placeOf(spec)} is missing: the worker has no variable ${spec.apiKeyEnv}`;
  const type = key ? 'model.unauthorized' : 'model.key-missing';
  throw new DomainFailure(type, modelProblem(type, what, spec));
}
