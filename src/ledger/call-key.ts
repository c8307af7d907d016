import type { ModelSpec } from '../contract/campaign.js';
import type { CallOwner } from '../contract/stage.js';
import { jsonHash } from '../domain/text/content-hash.js';
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
export function callKey(place: CallPlace, question: Question, spec: ModelSpec, request: ModelRequest): string {
  const asked = jsonHash(askedOf(question, spec, request));
  const where = [place.owner.kind, place.owner.id, place.stage, place.step, question.ordinal];
  const fresh = place.fresh === 0 ? '' : `|fresh-${place.fresh}`;
  const sample = question.sample === undefined || question.sample === 1 ? '' : `|sample-${question.sample}`;
  return `${where.join('|')}|${asked.slice(0, 40)}${fresh}${sample}`;
}

/**
 * What is asked, without who asks: under it another campaign finds the answer. The endpoint is in it, since a name means what
 * its provider makes of it; the price, since a model at another price is another one to whoever compares costs; and the repeat:
 * samples of a task stay as many as they are. Null where an answer is for its
 * campaign alone: of a build, and of a run that asked for fresh samples.
 */
export function questionHash(
  { account, repeat, fresh }: Pick<Asker, 'account' | 'repeat' | 'fresh'>,
  question: Question,
  spec: ModelSpec,
  request: ModelRequest,
): string | null {
  if (account.kind !== 'campaign' || repeat === undefined || fresh !== 0) return null;
  const { ordinal, sample = 1 } = question;
  const { baseUrl: endpoint, price } = spec;
  return jsonHash({
    ...askedOf(question, spec, request),
    endpoint,
    price: price === 'free' ? price : { ...price },
    ordinal,
    sample,
    repeat,
  });
}

function askedOf({ prompt, purpose }: Question, { name }: ModelSpec, request: ModelRequest) {
  const messages = request.messages.map(({ role, content }) => ({ role, content }));
  return { model: name, prompt, purpose, request: { ...request, messages } };
}
