import type { ModelSpec } from '../contract/campaign.js';
import type { CallOwner } from '../contract/stage.js';
import { jsonHash } from '../domain/text/content-hash.js';
import type { ModelRequest, Question } from '../ports/model.js';

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
  const asked = jsonHash({
    model: spec.name,
    prompt: question.prompt,
    purpose: question.purpose,
    request: { ...request, messages: request.messages.map(({ role, content }) => ({ role, content })) },
  });
  const where = [place.owner.kind, place.owner.id, place.stage, place.step, question.ordinal];
  const fresh = place.fresh === 0 ? '' : `|fresh-${place.fresh}`;
  const sample = question.sample === undefined || question.sample === 1 ? '' : `|sample-${question.sample}`;
  return `${where.join('|')}|${asked.slice(0, 40)}${fresh}${sample}`;
}
