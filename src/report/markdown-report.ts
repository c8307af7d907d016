import { integrityMarks } from '../domain/campaign/integrity-marks.js';
import { plainLine } from '../domain/text/plain-text.js';
import type { ReportTable } from '../suite/report.js';
import { budgetText, implausibleText, overshootText } from './text/budget-text.js';
import { failureRows } from './failure-rows.js';
import { againRows, changedVerdicts } from './later-runs.js';
import { cellText, detailTables, type ReportDetails } from './report-details.js';
import { messageLines } from './text/message-lines.js';
import type { ReportSubject } from './report-subject.js';
import { revisionRows } from './text/revision-text.js';
import { tableColumns } from './result-table.js';
import { judgeText } from './text/judge-text.js';
import { loosenedRows } from './sandbox-limit-rows.js';
import { sharedSpend } from './shared-spend.js';
import { scoreRows } from './score-rows.js';
import { dollars, grouped } from './text/number-text.js';

/** `report.md`: headline table, the suite's tables, what did not pass and why, spend, provenance. */
export function markdownReport(subject: ReportSubject, details: ReportDetails): string {
  const tables = detailTables(details).map(markdownTable);
  return [
    ...[headline(subject), results(subject), ...tables, integrity(subject), failures(subject)],
    ...[again(details), regraded(details)].filter((part) => part !== ''),
    ...[spend(subject), provenance(subject)],
  ].join('\n');
}

/** A table of a suite as a section. */
export function markdownTable({ title, columns, rows, notes }: ReportTable): string {
  const rule = columns.map(({ kind }) => (kind === 'text' ? '---' : '---:'));
  const cells = rows.map((row) => row.map((cell, index) => text(cellText(cell, columns[index]?.kind ?? 'text'))));
  const head = columns.map((column) => text(column.title));
  return `## ${text(title)}\n\n${table(head, rule, cells)}\n${notes.map((note) => `${text(note, 600)}\n`).join('\n')}`;
}

function headline(subject: ReportSubject): string {
  const { campaign, temporalUi } = subject;
  const { planned, done, passed, failed, errored, not_run } = campaign.trials;
  const lines = [
    `# ${text(campaign.name)}`,
    '',
    `Campaign \`${campaign.id}\`, status **${campaign.status}**, suite ${text(campaign.suite)}, dataset ${text(campaign.dataset)}.`,
    `Created ${campaign.createdAt}${campaign.endedAt === null ? '' : `, ended ${campaign.endedAt}`}.`,
    `${done} of ${planned} trials done: ${passed} passed, ${failed} failed, ${errored} errored, ${not_run} not run.`,
    ...revisionRows(subject).map(
      ([label, words]) => `${label === 'revises' ? 'Revises' : 'Revised by'} ${text(words, 2_000)}.`,
    ),
    ...(temporalUi === null ? [] : ['', `Temporal UI: <${temporalUi}>`]),
  ];
  return `${lines.join('\n')}\n`;
}

function results(subject: ReportSubject): string {
  const columns = tableColumns(subject);
  const head = columns.map(({ title }) => title);
  const rule = columns.map(({ align }) => (align === 'right' ? '---:' : '---'));
  const rows = scoreRows(subject).map((row) => columns.map(({ cell }) => text(cell(row))));
  const note =
    'Score = passed / scored, where scored = passed + failed; the interval is the 95 % Wilson score interval. ' +
    'Errored and not-run trials are outside the score; the bounds beside "errored" are the score if every errored trial had failed or passed.';
  const judge = judgeText(subject);
  const warning = judge === null ? '' : `\n**Judge:** ${judge}.\n`;
  return `## Results\n\n${table(head, rule, rows)}\n${note}\n${warning}`;
}

function integrity({ integrity: candidates }: ReportSubject): string {
  const marked = candidates.filter((row) => integrityMarks(row).length > 0);
  const tried = candidates.reduce((sum, row) => sum + row.negativeControls, 0);
  const intro =
    `${grouped(tried)} passed trials were tried again with a test altered so that it had to fail. ` +
    'Marks stand beside a score and do not change it; docs/guarantees/integrity.md says what each means.';
  if (marked.length === 0) return `## Integrity\n\nNothing is held against any candidate. ${intro}\n`;
  const head = [
    'system',
    'candidate of',
    'marks',
    'forged trials',
    'vacuous trials',
    'negative controls',
    'what was found',
  ];
  const rows = marked.map((row) => [
    row.systemId,
    `${row.scope}, repeat ${row.repeat}`,
    integrityMarks(row).join(', '),
    grouped(row.forgedTrials),
    grouped(row.vacuousTrials),
    grouped(row.negativeControls),
    [
      ...row.flags.map(({ detail }) => detail),
      ...(row.copiedTrials > 0
        ? [`${grouped(row.copiedTrials)} trials ran a copy of the reference that lies in no file`]
        : []),
    ].join('; '),
  ]);
  const rule = ['---', '---', '---', '---:', '---:', '---:', '---'];
  const cells = rows.map((row) => row.map((cell) => text(cell)));
  return `## Integrity\n\n${table(head, rule, cells)}\n${intro}\n`;
}

function failures({ totals }: ReportSubject): string {
  const rows = failureRows(totals);
  if (rows.length === 0) return '## Trials that did not pass\n\nNone.\n';
  const head = ['system', 'outcome', 'blame', 'reason', 'trials', 'example', 'message'];
  const cells = rows.map((row) => [
    ...[row.system, row.outcome, row.blame ?? '–', row.reason, grouped(row.trials), row.examples[0] ?? ''].map((cell) =>
      text(cell),
    ),
    messageLines({ message: row.message ?? '', ...row.advice }, 300)
      .map((line) => text(line, 600))
      .join('<br>'),
  ]);
  const rule = head.map((title) => (title === 'trials' ? '---:' : '---'));
  return `## Trials that did not pass\n\n${table(head, rule, cells)}`;
}

function again({ rerun }: ReportDetails): string {
  const rows = againRows(rerun);
  if (rows.length === 0) return '';
  const head = ['system', 'trials', 'passed', 'failed', 'not graded'];
  const cells = rows.map((row) => [
    text(row.system),
    ...[row.trials, row.passed, row.failed, row.ungraded].map((count) => grouped(count)),
  ]);
  const note = 'Trials that were graded before and run again on request. The scores above keep the first graded run.';
  return `## Run again\n\n${note}\n\n${table(head, ['---', '---:', '---:', '---:', '---:'], cells)}`;
}

function regraded({ rerun }: ReportDetails): string {
  const all = rerun.filter((trial) => trial.regraded !== null).length;
  if (all === 0) return '';
  const changed = changedVerdicts(rerun);
  const rows = changed.map(({ trial, before, now }) => [trial, before, now].map(text));
  const changes = rows.length === 0 ? '' : `\n${table(['trial', 'before', 'now'], ['---', '---', '---'], rows)}`;
  return `## Regraded\n\n${grouped(all)} trials were scored anew; ${grouped(rows.length)} verdicts changed.\n${changes}`;
}

function spend(subject: ReportSubject): string {
  const { campaign } = subject;
  const shared = sharedSpend(subject);
  const { microUsd, tokens, calls, repeatedCalls, recoveredCalls, replayedCalls } = campaign.spend;
  const recovered =
    recoveredCalls === 0
      ? ''
      : ` Lost answers fetched from their provider, not paid again: ${grouped(recoveredCalls)}.`;
  const replayed =
    replayedCalls === 0
      ? ''
      : ` Asked again by a later attempt and answered from the record, not paid again: ${grouped(replayedCalls)}.`;
  const overshoot = overshootText(campaign.spend);
  const implausible = implausibleText(campaign.spend);
  return `## Spend\n\n${dollars(microUsd / 1_000_000)} and ${grouped(tokens)} tokens in ${grouped(calls)} model calls (budget: ${budgetText(campaign.spec.budget)}); of it ${dollars(shared.usd)} and ${grouped(shared.tokens)} tokens for making shared candidates, which the trials above do not count. Calls sent again after a crash without an answer: ${grouped(repeatedCalls)}.${recovered}${replayed}${overshoot === null ? '' : ` Overshoot, part of these sums: ${overshoot}.`}${implausible === null ? '' : ` ${implausible}.`}\n`;
}

function provenance({ campaign, events }: ReportSubject): string {
  const { lock } = campaign;
  const regrader = events.findLast(({ action }) => action === 'regrade')?.details.grader;
  const rows = [
    ['lock', lock.sha256],
    ['dataset', lock.datasetDigest],
    ['suite version', lock.suiteVersion],
    ['grader', lock.graderDigest],
    // A corrected grader is named beside the one the campaign was planned with.
    ...(typeof regrader === 'string' ? [['grader of the last regrade', regrader]] : []),
    ...Object.entries(lock.imageDigests).map(([name, digest]) => [`image ${name}`, digest]),
    ...loosenedRows(lock.sandboxLimits ?? {}).map(([purpose, limits]) => [`sandbox limits, ${purpose}`, limits]),
    ['prices (US dollars per million tokens)', JSON.stringify(lock.prices)],
    ['seed', String(lock.seed)],
  ];
  return `## Provenance\n\n${table(
    ['what', 'value'],
    ['---', '---'],
    rows.map((row) => row.map((cell) => text(cell))),
  )}`;
}

function table(head: readonly string[], rule: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** One line without control sequences, and without what Markdown or HTML would act on. */
function text(raw: string, most = 300): string {
  return plainLine(raw, most).replace(/[\\`*_[\]<>|#!]/g, (character) =>
    character === '<' ? '&lt;' : `\\${character}`,
  );
}
