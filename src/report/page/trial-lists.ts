import { html } from 'hono/html';
import { sha256Hex } from '../../domain/text/content-hash.js';
import { counted, grouped } from '../text/number-text.js';
import { shown, type Html } from './page-frame.js';
import type { TrialSample } from './trial-samples.js';

/** The anchor of a list; ids of systems and groups may hold anything. */
export const listId = ({ systemId, group, outcome }: TrialSample): string =>
  `trials-${sha256Hex(JSON.stringify([systemId, group, outcome])).slice(0, 12)}`;

/** Lists of trials by system, group and outcome. Links open the lists: a browser opens `details` at its anchor. */
export function trialLists(campaign: string, samples: readonly TrialSample[]): Html {
  return html`<p class="note">
      <code>durabench show TRIAL</code> says what became of one: steps, evidence, votes.
      <code>durabench show ${campaign}</code> lists all.
    </p>
    ${samples.map(trialList)}`;
}

function trialList(sample: TrialSample): Html {
  const { systemId, group, outcome, count, ids } = sample;
  const title = `${shown(systemId, 60)}, ${shown(group, 60)}: ${counted(count, 'trial')} ${outcome.replace('_', ' ')}`;
  return html`<details id="${listId(sample)}">
    <summary>${title}</summary>
    <ul>
      ${ids.map((id) => html`<li><code>${shown(id)}</code></li>`)}
    </ul>
    ${count > ids.length ? html`<p class="note">and ${grouped(count - ids.length)} more</p>` : ''}
  </details>`;
}
