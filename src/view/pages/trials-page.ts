import { html } from 'hono/html';
import type { TrialChoice, TrialRow } from '../../client/index.js';
import type { ViewedOutline } from '../../client/view/view-source.js';
import { shown, type Html } from '../../report/page/page-frame.js';
import { pageTable } from '../../report/page/page-table.js';
import { ABSENT, dollars, duration, grouped } from '../../report/text/number-text.js';
import { workSeconds } from '../../report/work-times.js';
import { OUTCOMES } from '../choice-query.js';
import type { ViewPage } from '../frame.js';
import type { Links } from '../links.js';
import { outcomeMark } from '../text-parts.js';

/** Trials of one page of a list. */
export const TRIALS_A_PAGE = 100;

/** What a page of a list shows. */
export interface TrialsShown {
  choice: TrialChoice;
  /** From 1. */
  page: number;
  trials: readonly TrialRow[];
  total: number;
}

/** Trials of a campaign in plan order, by filters that stand in the address. */
export function trialsPage(links: Links, outline: ViewedOutline, shownTrials: TrialsShown): ViewPage {
  const { choice, page, trials, total } = shownTrials;
  const pages = Math.max(1, Math.ceil(total / TRIALS_A_PAGE));
  const first = (page - 1) * TRIALS_A_PAGE + 1;
  return {
    title: `Trials of ${outline.name}`,
    trail: [
      [outline.id, links.campaign(outline.id)],
      ['trials', null],
    ],
    body: html`<h1>Trials of ${shown(outline.name)}</h1>
      ${links.isServed ? filters(outline, choice) : ''}
      <p role="status">
        ${total === 0 ? 'No trial matches.' : `${grouped(first)} to ${grouped(first + trials.length - 1)} of ${grouped(total)}`}
      </p>
      ${total === 0 ? '' : trialTable(links, outline, shownTrials)} ${pager(links, outline.id, choice, { page, pages })}`,
  };
}

function trialTable(links: Links, { columns }: ViewedOutline, { trials, choice }: TrialsShown): Html {
  const own = columns.map(({ title, metric }) => ({ title, metric }));
  const numbers = ['repeat', ...own.map(({ title }) => title), 'cost', 'tokens', 'took'];
  const titles = ['task', 'system', 'repeat', 'outcome', 'reason', 'group', ...numbers.slice(1)];
  return pageTable({
    title: 'Trials in plan order',
    columns: titles.map((title) => ({ title, isNumber: numbers.includes(title) })),
    rows: trials.map((trial) => [
      html`<a href="${links.trial(trial.id, choice)}">${shown(trial.taskId, 120)}</a>`,
      html`${shown(trial.systemId, 60)}`,
      html`${trial.repeat}`,
      outcomeMark(trial),
      html`${shown(trial.reason ?? '', 100)}`,
      html`${shown(trial.group, 60)}`,
      ...own.map(({ metric }) => html`${metricText(trial.metrics[metric])}`),
      html`${dollars(trial.costMicroUsd / 1e6)}`,
      html`${grouped(trial.tokens)}`,
      html`${duration(workSeconds(trial))}`,
    ]),
  });
}

/** As many digits as anybody reads. */
export const metricText = (value: number | null | undefined): string =>
  value === null || value === undefined ? ABSENT : String(Math.round(value * 1000) / 1000);

function filters({ id, spec, groups }: ViewedOutline, choice: TrialChoice): Html {
  // One that is not known, as a link may name it, is shown all the same: it is why nothing matches.
  const select = (name: string, label: string, options: readonly string[], chosen: readonly string[] = []): Html =>
    html`<label
      >${label}
      <select name="${name}">
        <option value="">all</option>
        ${[...new Set([...options, ...chosen])].map((option) => html`<option value="${option}" ${chosen.includes(option) ? html`selected` : ''}>${shown(option.replace('_', ' '), 80)}</option>`)}
      </select>
    </label>`;
  const field = (name: string, label: string, value = ''): Html =>
    html`<label>${label} <input name="${name}" value="${value}" autocomplete="off" /></label>`;
  return html`<form class="filters" method="get" action="/trials/${encodeURIComponent(id)}" aria-label="Filters">
    ${select('outcome', 'outcome', OUTCOMES, choice.outcomes)}
    ${select(
      'system',
      'system',
      spec.systems.map((system) => system.id),
      choice.systems,
    )}
    ${groups.length > 1 ? select('group', 'group', groups, choice.groups) : ''}
    ${field('reason', 'reason, or what it begins with', choice.reason)}
    ${field('task', 'part of the task', choice.task)}
    <button>Show</button>
  </form>`;
}

function pager(links: Links, id: string, choice: TrialChoice, { page, pages }: { page: number; pages: number }): Html {
  if (pages === 1) return html``;
  const wanted = [1, page - 1, page, page + 1, pages].filter((each) => each >= 1 && each <= pages);
  return html`<nav aria-label="Pages">
    <ul>
      ${[...new Set(wanted)].map((each) => {
        const address = links.trials(id, choice, each);
        return each === page || address === null
          ? html`<li aria-current="page">${each}</li>`
          : html`<li><a href="${address}">${grouped(each)}</a></li>`;
      })}
    </ul>
  </nav>`;
}
