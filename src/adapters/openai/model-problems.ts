import type { ModelSpec } from '../../contract/campaign.js';
import type { FailureType } from '../../contract/failure.js';
import type { Problem } from '../../contract/problem.js';
import { FAILURE_TABLE } from '../../domain/failure/failure-table.js';

/** How trials that errored are run again; they have ended, so `resume` leaves them as they are. */
const AGAIN = 'npx durabench retry ID --errored';
/** Endpoints and names of key variables may change under a campaign (docs/guides/running-campaigns.md). */
const WITH_THE_FILE = 'hand it over with: npx durabench run FILE --id ID';

/** How a model call fails. */
export type ModelFailureType =
  | 'model.rate-limited'
  | 'model.server-error'
  | 'model.unreachable'
  | 'model.ambiguous'
  | 'model.bad-answer'
  | 'model.bad-request'
  | 'model.unauthorized'
  | 'model.key-missing'
  | 'model.content-policy'
  | 'model.context-length';

/** What went wrong between us and a model, with what would have been right and what a person can do about it. */
export function modelProblem(type: ModelFailureType, message: string, spec: ModelSpec): Problem {
  return { message, ...FIXES[type](spec) };
}

/** Model and endpoint; credentials in an address are left out. */
export function placeOf({ name, baseUrl }: Pick<ModelSpec, 'name' | 'baseUrl'>): string {
  return `${name} at ${URL.canParse(baseUrl) ? new URL(baseUrl).host : 'an invalid base URL'}`;
}

const tried = (type: FailureType): string => `it is tried ${FAILURE_TABLE[type].maxAttempts} times by itself`;

const FIXES: Record<ModelFailureType, (spec: ModelSpec) => Omit<Problem, 'message'>> = {
  'model.rate-limited': () => ({
    expected: 'as many requests and tokens as the limits of the account admit',
    fix: 'nothing: work continues by itself; a lower concurrency.model in the campaign file asks for less at a time',
  }),
  'model.server-error': () => ({
    expected: 'a reply with status 200',
    fix: `${tried('model.server-error')}; if all fail, fix the endpoint, then: ${AGAIN}`,
  }),
  'model.unreachable': () => ({
    expected: 'an endpoint that takes connections at base_url',
    fix: `${tried('model.unreachable')}; if all fail, start it (a corrected base_url: ${WITH_THE_FILE}), then: ${AGAIN}`,
  }),
  'model.ambiguous': ({ timeoutSeconds }) => ({
    expected: `a whole answer within ${timeoutSeconds} s`,
    fix: 'it is sent once more by itself unless budget.on_ambiguous says fail',
  }),
  'model.bad-answer': () => ({
    expected: 'a chat completion: JSON with choices[0].message, or a stream of such events',
    // Without usage it may have been billed, and counts as ambiguous: then it is asked again once.
    fix: `it is asked again by itself, at most twice; check that base_url ends where the API begins (…/v1), then: ${AGAIN}`,
  }),
  'model.bad-request': () => ({
    expected: 'a model and parameters that this endpoint knows, at an http(s) address without user name and password',
    fix: 'correct name or base_url of the model in the campaign file, then: npx durabench run FILE',
  }),
  'model.unauthorized': ({ apiKeyEnv }) =>
    apiKeyEnv === null
      ? {
          expected: 'an endpoint that asks for no key, or a model with api_key_env',
          fix: `name the variable that holds its key as api_key_env, ${WITH_THE_FILE}; then: ${AGAIN}`,
        }
      : {
          expected: `a key in ${apiKeyEnv} that this endpoint accepts, of an account with credit`,
          fix: `set ${apiKeyEnv} to such a key, or add credit, then (it hands the key to the worker): ${AGAIN}`,
        },
  'model.key-missing': ({ apiKeyEnv }) => ({
    expected: `a worker that was started where ${apiKeyEnv} is set; the call waits for one`,
    fix: `set ${apiKeyEnv} and start the worker anew: npx durabench down, then npx durabench up`,
  }),
  'model.content-policy': () => ({
    expected: 'a prompt that the policy of the provider admits',
    fix: 'take another model for this purpose in a campaign of its own; it counts as the refusal of this one',
  }),
  'model.context-length': () => ({
    expected: 'a prompt and an answer within the context window of the model',
    fix: 'take a model with a larger one, or a lower max_output_tokens, in the campaign file',
  }),
};
