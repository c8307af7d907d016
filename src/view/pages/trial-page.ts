import { html } from 'hono/html';
import type { TrialChoice, TrialRow } from '../../client/index.js';
import type { ViewedTrial } from '../../client/view/view-source.js';
import { shown, type Html } from '../../report/page/page-frame.js';
import { pageTable, reportTable } from '../../report/page/page-table.js';
import { dollars } from '../../report/text/number-text.js';
import type { ViewPage } from '../frame.js';
import type { Links } from '../links.js';
import { outcomeMark, section } from '../text-parts.js';
import { waterfall } from '../waterfall.js';
import { callsPart, type CallsShown } from './calls-part.js';
import { diffsPart, runsPart, stepsPart, taskPart, trialFacts, votesPart } from './trial-parts.js';

/** What leads from a trial to others. */
export interface TrialPlace {
  /** The list it is in. */
  choice: TrialChoice;
  previous: string | null;
  next: string | null;
}

/** Everything there is to see of one trial. */
export function trialPage(links: Links, viewed: ViewedTrial, calls: CallsShown, place: TrialPlace): ViewPage {
  const { detail, diffs, evidence, outline } = viewed;
  const { trial, votes } = detail;
  const owner = { kind: 'trial', id: trial.id } as const;
  const sections: [string, string, Html][] = [
    ['task', 'Task and test', taskPart(detail.task)],
    ['stages', 'Stages', waterfall(detail.attempts)],
    ...(votes.length === 0 ? [] : ([['votes', 'Votes', votesPart(votes)]] as [string, string, Html][])),
    ...(diffs.length === 0 ? [] : ([['diffs', 'Changes', diffsPart(diffs)]] as [string, string, Html][])),
    ...detail.tables.map((table, index): [string, string, Html] => [
      `found-${index + 1}`,
      table.title,
      reportTable(table),
    ]),
    ['steps', 'Steps and what they left', stepsPart(links, owner, detail, evidence)],
    ['calls', 'Model calls', callsPart(links, owner, calls)],
    ...(detail.runs.length > 1 ? ([['runs', 'Runs', runsPart(detail)]] as [string, string, Html][]) : []),
    ['others', 'The same task', siblingsPart(links, viewed)],
  ];
  const list = links.trials(outline.id, place.choice);
  return {
    title: `${trial.taskId}, ${trial.systemId}`,
    trail: [
      [outline.id, links.campaign(outline.id)],
      ...(list === null ? [] : [['trials', list] as const]),
      [`${trial.taskId}/${trial.systemId}/${trial.repeat}`, null],
    ],
    body: html`<h1>${shown(trial.taskId, 200)}</h1>
      ${steering(links, place)} ${trialFacts(links, viewed)}
      <nav aria-label="Sections">
        <ul>
          ${sections.map(([id, title]) => html`<li><a href="#${id}">${title}</a></li>`)}
        </ul>
      </nav>
      ${sections.map(([id, title, body]) => section(id, title, body))}`,
  };
}

const WORDS: Record<string, string> = {
  failed: 'failed',
  errored: 'errored',
  not_run: 'not run',
  passed: 'passed',
  open: 'open',
};

function steering(links: Links, { choice, previous, next }: TrialPlace): Html {
  const what = `${(choice.outcomes ?? []).map((outcome) => WORDS[outcome]).join(' or ')} trial`.trim();
  const link = (id: string | null, rel: 'prev' | 'next', title: string): Html =>
    id === null ? html`` : html`<li><a rel="${rel}" href="${links.trial(id, choice)}">${title}</a></li>`;
  return html`<ul class="steps" aria-label="Other trials">
    ${link(previous, 'prev', `previous ${what} (k)`)} ${link(next, 'next', `next ${what} (j)`)}
  </ul>`;
}

/** Trials of the same task by whatever system, each to be put beside this one. */
function siblingsPart(links: Links, { detail: { trial }, siblings, outline }: ViewedTrial): Html {
  const others = siblings.filter(({ id }) => id !== trial.id);
  if (others.length === 0) return html`<p>No other trial has this task.</p>`;
  const beside = (other: TrialRow): string => links.task(outline.id, trial.taskId, [trial.systemId, other.systemId]);
  return pageTable({
    title: 'Other trials of this task',
    columns: ['trial', 'outcome', 'reason', 'cost', 'beside'].map((title) => ({ title, isNumber: title === 'cost' })),
    rows: others
      .slice(0, 100)
      .map((other) => [
        html`<a href="${links.trial(other.id)}">${shown(other.systemId, 60)}, repeat ${other.repeat}</a>`,
        outcomeMark(other),
        html`${shown(other.reason ?? '', 100)}`,
        html`${dollars(other.costMicroUsd / 1e6)}`,
        html`<a href="${beside(other)}">side by side with ${shown(other.systemId, 60)} ${other.repeat}</a>`,
      ]),
  });
}
