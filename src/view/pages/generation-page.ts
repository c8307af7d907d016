import { html } from 'hono/html';
import type { GenerationDetail } from '../../client/index.js';
import { generationLines } from '../../client/inspect/generation-lines.js';
import { shown } from '../../report/page/page-frame.js';
import { messageLines } from '../../report/text/message-lines.js';
import { counted, dollars, grouped } from '../../report/text/number-text.js';
import type { ViewPage } from '../frame.js';
import type { Links } from '../links.js';
import { facts, section } from '../text-parts.js';
import { waterfall } from '../waterfall.js';
import { callsPart, type CallsShown } from './calls-part.js';
import { stepsPart } from './trial-parts.js';

/** Steps of a long generation that are shown; `show GENERATION --json` has them all. */
const MOST_STEPS = 100;

/** The making of a shared candidate. */
export function generationPage(links: Links, detail: GenerationDetail, calls: CallsShown): ViewPage {
  const { generation, status, temporalUi, steps, attempts } = detail;
  const owner = { kind: 'generation', id: generation.id } as const;
  const { candidate, failure } = generation;
  const left = Math.max(0, steps.length - MOST_STEPS);
  return {
    title: `${generation.systemId}, ${generation.scope}`,
    trail: [
      [generation.campaignId, links.campaign(generation.campaignId)],
      [generation.id.slice(generation.campaignId.length + 1), null],
    ],
    body: html`<h1>Candidate of ${shown(generation.systemId, 60)}, ${shown(generation.scope, 60)}</h1>
      ${facts([
        ['state', generation.state],
        ['failed', failure && `${failure.type}: ${messageLines(failure, 1_000).join(' ')}`],
        ['candidate', candidate && `${candidate.sha256.slice(0, 12)}…, ${counted(candidate.files, 'file')}`],
        [
          'files',
          candidate && html`<code>durabench export ${shown(generation.id, 300)} --format files --out candidate</code>`,
        ],
        ['spent', `${dollars(generation.costMicroUsd / 1e6)}, ${grouped(generation.tokens)} tokens`],
        ...(status === null ? [] : generationLines([status])).map((line): [string, string] => ['plan', line]),
        ['Temporal UI', temporalUi === null || !links.isServed ? null : html`<a href="${temporalUi}">its workflow</a>`],
      ])}
      ${section('stages', 'Steps over time', waterfall(attempts))}
      ${section(
        'steps',
        'Steps and what they left',
        html`${left > 0 ? html`<p class="note">the last ${MOST_STEPS} of ${grouped(steps.length)}</p>` : ''}
        ${stepsPart(links, owner, { attempts, steps: steps.slice(left) }, new Map())}`,
      )}
      ${section('calls', 'Model calls', callsPart(links, owner, calls))}`,
  };
}
