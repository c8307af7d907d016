import { html } from 'hono/html';
import type { CallTexts, SaidPart } from '../../client/view/call-texts.js';
import type { OwnerRef } from '../../contract/stage.js';
import { shown, type Html } from '../../report/page/page-frame.js';
import { dollars, duration, grouped } from '../../report/text/number-text.js';
import type { Links } from '../links.js';
import { folded, textBlock } from '../text-parts.js';
import { stepName } from '../waterfall.js';

/** Model calls of one page. */
export const CALLS_A_PAGE = 25;

/** A page of model calls, from 1. */
export interface CallsShown {
  calls: readonly CallTexts[];
  total: number;
  page: number;
}

/** Every model call with prompt, answer and price. */
export function callsPart(links: Links, owner: OwnerRef, { calls, total, page }: CallsShown): Html {
  if (total === 0) return html`<p>No model was asked.</p>`;
  const first = (page - 1) * CALLS_A_PAGE + 1;
  const other = (to: number, title: string): Html => {
    const address = to < 1 || (to - 1) * CALLS_A_PAGE >= total ? null : links.calls(owner, to);
    return address === null ? html`` : html`<li><a href="${address}">${title}</a></li>`;
  };
  return html`<p class="note">${grouped(first)} to ${grouped(first + calls.length - 1)} of ${grouped(total)}</p>
    ${calls.map((each) => callPart(links, owner, each))}
    <ul class="steps" aria-label="Pages of model calls">
      ${other(page - 1, 'earlier calls')} ${other(page + 1, 'later calls')}
    </ul>`;
}

function callPart(links: Links, owner: OwnerRef, texts: CallTexts): Html {
  const { call, asked, answered, heads } = texts;
  const files = [
    { ref: call.request, title: 'whole request' },
    { ref: call.response, title: 'whole answer' },
  ].flatMap(({ ref, title }) => {
    const address = ref === null ? null : links.evidence(owner, ref.sha256);
    return address === null ? [] : [html`<li><a href="${address}">${title}</a></li>`];
  });
  return folded(
    html`${shown(headOf(texts), 300)}`,
    html`${heads.asked === null ? saidParts(asked) : textBlock(heads.asked.text, heads.asked)}
      ${heads.answered === null ? saidParts(answered) : textBlock(heads.answered.text, heads.answered)}
      ${asked.length === 0 && heads.asked === null ? html`<p class="note">Its request is kept no more.</p>` : ''}
      ${call.sends.length < 2 && call.sends.every(({ reason }) => reason === null) ? '' : sendsPart(texts)}
      <ul class="steps">
        ${files}
      </ul>`,
  );
}

/** `vote match-2: vote, gpt-4o, $0.0012, 345 tokens, 1.2 s, stop` */
function headOf({ call, model, finishReason }: CallTexts): string {
  const seconds = call.answeredAt === null ? null : (Date.parse(call.answeredAt) - Date.parse(call.askedAt)) / 1000;
  return [
    `${stepName({ ...call, n: 1 })}: ${call.purpose}`,
    model ?? call.model,
    dollars(call.costMicroUsd / 1e6),
    `${grouped(call.tokens)} tokens`,
    call.state === 'open' ? 'not answered' : duration(seconds),
    ...(finishReason === null ? [] : [finishReason]),
    ...(call.isReplayed ? ['replayed'] : []),
    ...(call.saved === null ? [] : [`answer of another campaign reused, ${dollars(call.saved.microUsd / 1e6)} saved`]),
    ...(call.sends.length > 1 ? [`sent ${call.sends.length} times`] : []),
  ].join(', ');
}

const saidParts = (parts: readonly SaidPart[]): Html =>
  html`${parts.map(
    ({ role, text }) =>
      html`<h4>${shown(role, 40)}</h4>
        ${textBlock(text)}`,
  )}`;

const sendsPart = ({ call }: CallTexts): Html =>
  html`<ul>
    ${call.sends.map(
      ({ attempt, state, estimateMicroUsd, actualMicroUsd, reason }) =>
        html`<li>
          send ${attempt}: ${state}, ${dollars((actualMicroUsd ?? 0) / 1e6)} of ${dollars(estimateMicroUsd / 1e6)}
          reserved${reason === null ? '' : `: ${shown(reason, 300)}`}
        </li>`,
    )}
  </ul>`;
