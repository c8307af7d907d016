import { html } from 'hono/html';
import type { ViewedOutline, ViewedTrial } from '../../client/view/view-source.js';
import { shown, type Html } from '../../report/page/page-frame.js';
import type { ViewPage } from '../frame.js';
import type { Links } from '../links.js';
import { folded, section } from '../text-parts.js';
import { waterfall } from '../waterfall.js';
import { diffsPart, stepsPart, taskPart, trialFacts, votesPart } from './trial-parts.js';

/** What is shown of one task by several systems. */
export interface TaskShown {
  outline: ViewedOutline;
  task: string;
  trials: readonly ViewedTrial[];
}

/** Trials of one task beside each other. */
export function taskPage(links: Links, { outline, task, trials }: TaskShown): ViewPage {
  const text = trials.find(({ detail }) => detail.task !== null)?.detail.task ?? null;
  return {
    title: task,
    trail: [
      [outline.id, links.campaign(outline.id)],
      [task, null],
    ],
    body: html`<h1>${shown(task, 200)}</h1>
      ${section('task', 'Task and test', folded('What was asked, and how it is tested', taskPart(text)))}
      <div class="beside" role="region" aria-label="Trials side by side" tabindex="0">
        ${trials.map((trial, index) => column(links, trial, index))}
      </div>`,
  };
}

function column(links: Links, viewed: ViewedTrial, index: number): Html {
  const { detail, diffs, evidence } = viewed;
  const { trial, votes } = detail;
  const id = `trial-${index + 1}`;
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}"><a href="${links.trial(trial.id)}">${shown(trial.systemId, 60)}, repeat ${trial.repeat}</a></h2>
    ${trialFacts(links, viewed)} ${votes.length === 0 ? '' : votesPart(votes)} ${diffsPart(diffs)}
    ${stepsPart(links, { kind: 'trial', id: trial.id }, detail, evidence)} ${waterfall(detail.attempts)}
  </section>`;
}
