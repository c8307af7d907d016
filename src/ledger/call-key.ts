import type { ModelSpec } from '../contract/campaign.js';
import type { CallOwner } from '../contract/stage.js';
import { jsonHash, sha256Hex } from '../domain/text/content-hash.js';
import type { Asker, ModelRequest, Question } from '../ports/model.js';

/** Where in an account a question is asked. */
export interface CallPlace {
  owner: CallOwner;
  stage: string;
  step: string;
  /** The run that asked for fresh samples, 0 for none. */
  fresh: number;
}

/**
 * The identity of a logical call. Nothing of a run, an attempt or an endpoint is in it, so a retry, a resume and a
 * moved endpoint find the answer that was paid; another model, prompt version or request is another call, and so is
 * one of a run that asked for fresh samples.
 */
export function callKey(place: CallPlace, question: Question, asked: string): string {
  const where = [place.owner.kind, place.owner.id, place.stage, place.step, question.ordinal];
  const fresh = place.fresh === 0 ? '' : `|fresh-${place.fresh}`;
  const sample = question.sample === undefined || question.sample === 1 ? '' : `|sample-${question.sample}`;
  return `${where.join('|')}|${asked.slice(0, 40)}${fresh}${sample}`;
}

/**
 * What is asked, without who asks: under it another campaign finds the answer. The endpoint is in it, since a name means what
 * its provider makes of it; the price, since a model at another price is another one to whoever compares costs; and the repeat:
 * samples of a task stay as many as they are. Null where an answer is for its campaign alone: of a build, and of a run that
 * asked for fresh samples.
 */
export function questionHash(
  { account, repeat, fresh }: Pick<Asker, 'account' | 'repeat' | 'fresh'>,
  { ordinal, sample = 1 }: Question,
  { baseUrl: endpoint, price }: Pick<ModelSpec, 'baseUrl' | 'price'>,
  asked: string,
): string | null {
  if (account.kind !== 'campaign' || repeat === undefined || fresh !== 0) return null;
  return jsonHash({ asked, endpoint, price: price === 'free' ? price : { ...price }, ordinal, sample, repeat });
}

/** Hash of model, prompt and request: what {@link callKey} and {@link questionHash} have in common. Prompts are long, so it is taken once a call. */
export function askedHash({ prompt, purpose }: Question, { name }: ModelSpec, request: ModelRequest): string {
  const messages = request.messages.map(({ role, content }) => ({ role, content }));
  return jsonHash({ model: name, prompt, purpose, request: { ...request, messages } });
}

/** What a call is called outside: hashed, since a provider has no business knowing the names of trials. */
export function callName(key: string): string {
  return sha256Hex(key).slice(0, 32);
}
