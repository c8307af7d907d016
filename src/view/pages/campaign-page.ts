import { html } from 'hono/html';
import type { GenerationRow, TrialChoice } from '../../client/index.js';
import type { CampaignState } from '../../client/inspect/campaign-state.js';
import { generationLines, makingLines, waitingLines } from '../../client/inspect/generation-lines.js';
import { progressLine } from '../../client/inspect/progress-lines.js';
import type { ViewedOutline } from '../../client/view/view-source.js';
import { failureRows, type FailureRow } from '../../report/failure-rows.js';
import { shown, type Html } from '../../report/page/page-frame.js';
import { pageTable } from '../../report/page/page-table.js';
import type { ReportSubject } from '../../report/report-subject.js';
import { tableColumns } from '../../report/result-table.js';
import { scoreRows, type ScoreRow } from '../../report/score-rows.js';
import { budgetUse, spendNotes, usedText } from '../../report/text/budget-text.js';
import { judgeText } from '../../report/text/judge-text.js';
import { messageLines } from '../../report/text/message-lines.js';
import { counted, dollars, grouped } from '../../report/text/number-text.js';
import { temporalQueries } from '../../report/text/temporal-queries.js';
import type { ViewPage } from '../frame.js';
import type { Links } from '../links.js';
import { facts, section } from '../text-parts.js';

/** A campaign: what it is, and the part that is read again while it runs; null where that is still being read. */
export function campaignPage(
  links: Links,
  outline: ViewedOutline,
  live: { part: Html; isOver: boolean } | null,
): ViewPage {
  const { id, name, suite, dataset } = outline;
  const list = (outcomes: TrialChoice['outcomes'], title: string): Html => {
    const address = links.trials(id, outcomes === undefined ? {} : { outcomes });
    return address === null ? html`` : html`<li><a href="${address}">${title}</a></li>`;
  };
  const state = live === null ? 'soon' : 'open';
  return {
    title: name,
    trail: [[id, null]],
    body: html`<h1>${shown(name)}</h1>
      ${facts([
        ['campaign', html`<code>${id}</code>`],
        ['suite', suite],
        ['dataset', dataset],
      ])}
      <ul class="steps" aria-label="Trials">
        ${list(undefined, 'all trials')} ${list(['failed'], 'failed')} ${list(['errored'], 'errored')}
        ${list(['not_run'], 'not run')} ${list(['passed'], 'passed')}
      </ul>
      <div ${live?.isOver === true ? '' : html`data-live="${state}" aria-busy="${live === null ? 'true' : 'false'}"`}>
        ${live === null ? html`<p>Adding up its trials …</p>` : live.part}
      </div>`,
  };
}

/** Where a campaign stands: progress, money, what it waits for, results, reasons. */
export function livePart(links: Links, state: CampaignState, generations: readonly GenerationRow[]): Html {
  const { subject, problem, underWay } = state;
  const now = underWay ?? undefined;
  // A file is read later; what is made has lines of its own.
  const told = links.isServed && now !== undefined ? { ...now, generations: [] } : undefined;
  return html`<p><strong>${progressLine(subject, told)}</strong></p>
    <ul class="lines">
      ${[
        ...(problem === undefined ? [] : [`problem: ${problem}`]),
        ...(now === undefined ? [] : [...waitingLines(now), ...makingLines(now)]),
        ...generationLines(state.generations),
      ].map((line) => html`<li>${shown(line, 400)}</li>`)}
    </ul>
    ${section('spend', 'Spend', spend(links, subject))} ${section('results', 'Results', results(links, subject))}
    ${section('reasons', 'Trials that did not pass', reasons(links, subject))}
    ${generations.length === 0 ? '' : section('candidates', 'Shared candidates', candidates(links, generations))}`;
}

function spend(links: Links, subject: ReportSubject): Html {
  const { campaign } = subject;
  // Files may be read where neither is.
  const { temporalUi, report } = links.isServed ? subject : { temporalUi: null, report: null };
  const { microUsd, tokens, calls, repeatedCalls } = campaign.spend;
  const sums = `${dollars(microUsd / 1e6)}, ${grouped(tokens)} tokens, ${counted(calls, 'call')}, ${grouped(repeatedCalls)} repeated`;
  const { usd } = campaign.spec.budget;
  const used = usedText(campaign.spec.budget, budgetUse(campaign));
  const judge = judgeText(subject);
  const bar =
    usd === null
      ? ''
      : html`<progress
          aria-label="Dollars spent of the budget"
          max="${usd}"
          value="${Math.min(usd, microUsd / 1e6)}"
        ></progress> `;
  return html`${judge === null ? '' : html`<p class="warning">Judge: ${shown(judge)}.</p>`}
  ${facts([
    ['spent', [sums, ...spendNotes(campaign.spend)].join('; ')],
    ['budget', used === null ? 'not limited' : html`${bar}${used}`],
    ['status', campaign.status.replace('_', ' ')],
    ['created', campaign.createdAt],
    ['ended', campaign.endedAt],
    ['tags', campaign.tags.length === 0 ? null : campaign.tags.join(' ')],
    ['report', report === null ? null : html`<code>${report.page}</code>${report.isCurrent ? '' : ' (out of date)'}`],
    ['Temporal UI', temporalUi === null ? null : temporalLinks(subject, temporalUi)],
  ])}`;
}

const temporalLinks = (subject: ReportSubject, own: string): Html =>
  html`<a href="${own}">its workflow</a>${temporalQueries(subject).map(
      ({ title, url }) => html`, <a href="${url}">${title}</a>`,
    )}`;

const COUNTS = ['passed', 'failed', 'errored', 'not_run'] as const;

function results(links: Links, subject: ReportSubject): Html {
  const own = tableColumns(subject).filter(({ title }) => !['not run', 'wall'].includes(title));
  const count = (row: ScoreRow, outcome: (typeof COUNTS)[number]): Html => {
    const choice = { outcomes: [outcome], systems: [row.system], ...(row.group !== null && { groups: [row.group] }) };
    const address = row[outcome] === 0 ? null : links.trials(subject.campaign.id, choice);
    return address === null ? html`${grouped(row[outcome])}` : html`<a href="${address}">${grouped(row[outcome])}</a>`;
  };
  return pageTable({
    title: 'Results by system and group',
    columns: [
      ...own.map(({ title, align }) => ({ title, isNumber: align === 'right' })),
      ...COUNTS.map((outcome) => ({ title: outcome.replace('_', ' '), isNumber: true })),
    ],
    rows: scoreRows(subject).map((row) => [
      ...own.map(({ cell }) => html`${shown(cell(row))}`),
      ...COUNTS.map((outcome) => count(row, outcome)),
    ]),
  });
}

/** The one that most trials have met: what errored is worse than what failed. */
function hottest(rows: readonly FailureRow[]): FailureRow | undefined {
  const errors = rows.filter(({ outcome }) => outcome === 'errored');
  return [...(errors.length > 0 ? errors : rows)].sort((one, other) => other.trials - one.trials)[0];
}

function reasons(links: Links, { campaign, totals }: ReportSubject): Html {
  const rows = failureRows(totals);
  const most = hottest(rows);
  if (most === undefined) return html`<p>None.</p>`;
  const address = ({ system, outcome, reason }: FailureRow): string | null =>
    links.trials(campaign.id, { outcomes: [outcome], systems: [system], reason });
  const said = ({ message, advice }: FailureRow): Html =>
    html`${message === null ? '' : messageLines({ message, ...advice }, 200).map((line) => html`${line}<br />`)}`;
  const linked = (row: FailureRow, text: string): Html => {
    const to = address(row);
    return to === null ? html`${text}` : html`<a href="${to}">${text}</a>`;
  };
  return html`<p>
      Most often: ${linked(most, `${shown(most.system, 60)}, ${shown(most.reason, 100)}`)} (${grouped(most.trials)}
      ${most.outcome.replace('_', ' ')})
    </p>
    ${pageTable({
      title: 'Reasons',
      columns: ['system', 'outcome', 'blame', 'reason', 'trials', 'the first one says'].map((title) => {
        return { title, isNumber: title === 'trials' };
      }),
      rows: rows.map((row) => [
        html`${shown(row.system, 60)}`,
        html`${row.outcome.replace('_', ' ')}`,
        html`${row.blame ?? ''}`,
        linked(row, shown(row.reason, 100)),
        html`${grouped(row.trials)}`,
        said(row),
      ]),
    })}`;
}

/** More are in `show CAMPAIGN --json`. */
const MOST_CANDIDATES = 200;

function candidates(links: Links, generations: readonly GenerationRow[]): Html {
  return pageTable({
    title: 'Shared candidates',
    columns: ['system', 'scope', 'repeat', 'state', 'files', 'cost', 'tokens'].map((title) => {
      return { title, isNumber: ['files', 'cost', 'tokens'].includes(title) };
    }),
    rows: generations
      .slice(0, MOST_CANDIDATES)
      .map((row) => [
        html`<a href="${links.generation(row.id)}">${shown(row.systemId, 60)}</a>`,
        html`${shown(row.scope, 60)}`,
        html`${row.repeat}`,
        html`${row.failure === null ? row.state : row.failure.type}`,
        html`${row.candidate === null ? '' : grouped(row.candidate.files)}`,
        html`${dollars(row.costMicroUsd / 1e6)}`,
        html`${grouped(row.tokens)}`,
      ]),
  });
}
