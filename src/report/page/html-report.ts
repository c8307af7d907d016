import { html } from 'hono/html';
import type { CampaignUsage } from '../../ports/records.js';
import type { ReportTable } from '../../suite/report.js';
import { failureRows } from '../failure-rows.js';
import { figureTables, intervalNotes } from '../figures/figure-tables.js';
import { failureTable, integrityTable, laterRunTables, provenanceTable } from '../record-tables.js';
import { cellText, detailTables, type AnalysedDetails, type ReportDetails } from '../report-details.js';
import type { ReportSubject } from '../report-subject.js';
import { scoreRows, type ScoreRow } from '../score-rows.js';
import { sharedSpend } from '../shared-spend.js';
import { budgetText, spendNotes } from '../text/budget-text.js';
import { judgeText } from '../text/judge-text.js';
import { revisionRows } from '../text/revision-text.js';
import { dollars, grouped, percent } from '../text/number-text.js';
import { amountChart, rateChart, type AmountBar, type RateMark } from './charts.js';
import { failurePart } from './failure-part.js';
import { pageFrame, shown, type Html } from './page-frame.js';
import { reportTable } from './page-table.js';
import { resultsTable } from './results-table.js';
import { trialLists } from './trial-lists.js';
import type { TrialSample } from './trial-samples.js';

/** `report.html`: what `report.md` says, with charts, as one file that needs no network and runs no script. */
export async function htmlReport(
  subject: ReportSubject,
  details: AnalysedDetails,
  samples: readonly TrialSample[],
): Promise<string> {
  const rows = scoreRows(subject);
  const analysis = await failurePart(details.failures);
  const sections: [id: string, title: string, body: Html][] = [
    ['results', 'Results', await results(subject, rows, samples)],
    ['stages', 'Stage by stage', await stages(subject, rows)],
    ...(await suiteSections((details.suite?.tables ?? []).filter((table) => table.rows.length > 0))),
    ['failures', 'Trials that did not pass', await failures(subject)],
    ...(analysis === null ? [] : [['analysis', 'Failure analysis', analysis] as [string, string, Html]]),
    ['integrity', 'Integrity', integrity(subject)],
    ...laterRunTables(details).map((table, index): [string, string, Html] => [
      `later-${index + 1}`,
      table.title,
      reportTable(table),
    ]),
    ['cost', 'Cost and time', await cost(subject, details)],
    ['provenance', 'Provenance', provenance(subject)],
    ['trials', 'Trials', trialLists(subject.campaign.id, samples)],
  ];
  const page = html`
    <a class="skip" href="#results">Skip to the results</a>
    <header>${headline(subject)}</header>
    <nav aria-label="Sections">
      <ul>
        ${sections.map(([id, title]) => html`<li><a href="#${id}">${shown(title)}</a></li>`)}
      </ul>
    </nav>
    <main>
      ${sections.map(
        ([id, title, body]) =>
          html`<section id="${id}" aria-labelledby="${id}-title">
            <h2 id="${id}-title">${shown(title)}</h2>
            ${body}
          </section>`,
      )}
    </main>
  `;
  return `${String(await pageFrame(subject.campaign.name, page)).trim()}\n`;
}

function headline(subject: ReportSubject): Html {
  const { campaign, temporalUi } = subject;
  const { planned, done, passed, failed, errored, not_run } = campaign.trials;
  const facts: [string, Html | string][] = [
    ['campaign', html`<code>${campaign.id}</code>`],
    ['status', campaign.status.replace('_', ' ')],
    ['suite', campaign.suite],
    ['dataset', campaign.dataset],
    ['created', campaign.createdAt],
    ...(campaign.endedAt === null ? [] : ([['ended', campaign.endedAt]] as [string, string][])),
    [
      'trials',
      `${grouped(done)} of ${grouped(planned)} done: ${grouped(passed)} passed, ${grouped(failed)} failed, ${grouped(errored)} errored, ${grouped(not_run)} not run`,
    ],
    ...revisionRows(subject),
    ...(temporalUi === null
      ? []
      : ([['Temporal UI', html`<a href="${temporalUi}">its workflow</a>`]] as [string, Html][])),
  ];
  return html`<h1>${shown(campaign.name)}</h1>
    <dl class="facts">
      ${facts.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${typeof value === 'string' ? shown(value, 2_000) : value}</dd>`,
      )}
    </dl>`;
}

async function results(
  subject: ReportSubject,
  rows: readonly ScoreRow[],
  samples: readonly TrialSample[],
): Promise<Html> {
  const judge = judgeText(subject);
  const systems = new Set(rows.map(({ system }) => system)).size;
  const isSplit = rows.length > systems;
  const overall = rows.filter(({ system, group }) => group === null || !isSplitSystem(rows, system));
  return html`${judge === null ? '' : html`<p class="warning"><strong>Judge:</strong> ${shown(judge)}.</p>`}
    <figure>
      ${await rateChart(
        overall.flatMap((row) => rateMark(row, row.system, '')),
        'Score of each system, with 95 % intervals',
      )}
      <figcaption>Score of each system; lines are 95 % intervals.</figcaption>
    </figure>
    ${
      isSplit
        ? html`<figure>
            ${await rateChart(
              rows.flatMap((row) => (row.group === null ? [] : rateMark(row, row.group, row.system))),
              'Score of each system by group',
            )}
            <figcaption>By group: a panel for each system.</figcaption>
          </figure>`
        : ''
    }
    ${resultsTable(subject, rows, samples)}
    <p class="note">
      Score = passed / scored, where scored = passed + failed. ${intervalNotes(rows).join(' ')} Errored and not-run
      trials are outside the score; the bounds beside "errored" are the score if every errored trial had failed or
      passed. Counts lead to their trials.
    </p>
    ${figureTables(rows).map((table) => reportTable(table, table.title))}`;
}

async function suiteSections(tables: readonly ReportTable[]): Promise<[string, string, Html][]> {
  const sections: [string, string, Html][] = [];
  for (const [index, table] of tables.entries())
    sections.push([`suite-${index + 1}`, table.title, html`${await tableChart(table)}${reportTable(table)}`]);
  return sections;
}

/** Nothing where a table asks for no chart. */
async function tableChart({ chart, rows }: ReportTable): Promise<Html> {
  if (chart === undefined) return html``;
  const marks = rows.flatMap((cells): RateMark[] => {
    const value = cells[chart.value] ?? null;
    if (typeof value === 'string' || value === null) return [];
    const { value: rate, interval } = typeof value === 'number' ? { value, interval: null } : value;
    const panel = chart.panel.map((place) => cellText(cells[place] ?? null, 'text')).join(', ');
    return [{ row: cellText(cells[chart.row] ?? null, 'text'), panel, value: rate, interval }];
  });
  if (marks.length === 0) return html``;
  return html`<figure>
    ${await rateChart(marks, chart.title)}
    <figcaption>${shown(chart.title)}; lines are 95 % intervals.</figcaption>
  </figure>`;
}

const isSplitSystem = (rows: readonly ScoreRow[], system: string): boolean =>
  rows.some((row) => row.system === system && row.group === null);

const rateMark = ({ score, interval }: ScoreRow, row: string, panel: string): RateMark[] =>
  score === null ? [] : [{ row, panel, value: score, interval }];

/** What of the graded trials came through each of the suite's stages, and passed. */
async function stages({ columns }: ReportSubject, rows: readonly ScoreRow[]): Promise<Html> {
  const overall = rows.filter(({ system, group }) => group === null || !isSplitSystem(rows, system));
  const bars = overall.flatMap(({ system, rates, score }) => {
    const steps: [string, number | null][] = [
      ...columns.map(({ id, title }): [string, number | null] => [title, rates[id] ?? null]),
      ['passed', score],
    ];
    return steps.flatMap(([row, value]): AmountBar[] =>
      value === null ? [] : [{ row, panel: system, value, text: percent(value) }],
    );
  });
  const title = 'Share of graded trials that came through each stage';
  return html`<figure>
    ${await amountChart(bars, title)}
    <figcaption>${title}; a panel for each system, figures in the table of results.</figcaption>
  </figure>`;
}

async function failures(subject: ReportSubject): Promise<Html> {
  const rows = failureRows(subject.totals);
  if (rows.length === 0) return html`<p>None.</p>`;
  const bars = rows.map(({ system, reason, trials }): AmountBar => {
    return { row: reason, panel: system, value: trials, text: grouped(trials) };
  });
  return html`<figure>
      ${await amountChart(bars, 'Trials that did not pass, by reason')}
      <figcaption>
        Trials by reason; a panel for each system. <code>durabench explain REASON</code> says what one means.
      </figcaption>
    </figure>
    ${reportTable(failureTable(subject))}`;
}

function integrity(subject: ReportSubject): Html {
  const table = integrityTable(subject);
  const lead = table.rows.length === 0 ? html`<p>Nothing is held against any candidate.</p>` : '';
  return html`${lead}${reportTable(table, 'Candidates')}`;
}

async function cost(subject: ReportSubject, details: ReportDetails): Promise<Html> {
  const { campaign } = subject;
  const { microUsd, tokens, calls, repeatedCalls, recoveredCalls, replayedCalls } = campaign.spend;
  const shared = sharedSpend(subject);
  const [, ...rest] = [null, ...detailTables({ ...details, suite: null })];
  return html`<p>
      ${dollars(microUsd / 1_000_000)} and ${grouped(tokens)} tokens in ${grouped(calls)} model calls (budget:
      ${budgetText(campaign.spec.budget)}); of it ${dollars(shared.usd)} and ${grouped(shared.tokens)} tokens for making
      shared candidates. Calls sent again after a crash without an answer: ${grouped(repeatedCalls)}. Lost answers
      fetched from their provider, not paid again: ${grouped(recoveredCalls)}. Answered from the record when a later
      attempt asked again: ${grouped(replayedCalls)}. ${spendNotes(campaign.spend).map((note) => `${note}. `)}
    </p>
    ${await spendChart(details.usage)} ${rest.map((table) => reportTable(table))}`;
}

async function spendChart({ calls }: CampaignUsage): Promise<Html | ''> {
  const sums = new Map<string, AmountBar>();
  for (const { systemId, stage, model, costMicroUsd } of calls) {
    const row = `${stage}, ${model}`;
    const key = JSON.stringify([systemId, row]);
    const value = (sums.get(key)?.value ?? 0) + costMicroUsd / 1_000_000;
    sums.set(key, { row, panel: systemId, value, text: dollars(value) });
  }
  if (![...sums.values()].some(({ value }) => value > 0)) return '';
  return html`<figure>
    ${await amountChart([...sums.values()], 'Cost by stage and model')}
    <figcaption>Cost by stage and model; a panel for each system.</figcaption>
  </figure>`;
}

function provenance(subject: ReportSubject): Html {
  const { models } = subject.campaign.spec;
  const table = provenanceTable(subject);
  const named = Object.entries(models).map(([key, model]) => [`model ${key}`, model.name]);
  return reportTable(
    { ...table, rows: [['Durabench', subject.durabench], ...named, ...table.rows] },
    'What pins these results',
  );
}
