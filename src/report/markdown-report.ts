import { plainLine } from '../domain/text/plain-text.js';
import type { ReportTable } from '../suite/report.js';
import { budgetText, implausibleText, overshootText, reusedText, unansweredText } from './text/budget-text.js';
import { failureTables, sampleTable } from './failures/failure-tables.js';
import { figureTables, intervalNotes } from './figures/figure-tables.js';
import { failureTable, integrityTable, laterRunTables, provenanceTable } from './record-tables.js';
import { cellText, detailTables, type AnalysedDetails } from './report-details.js';
import type { ReportSubject } from './report-subject.js';
import { revisionRows } from './text/revision-text.js';
import { tableColumns } from './result-table.js';
import { judgeText } from './text/judge-text.js';
import { sharedSpend } from './shared-spend.js';
import { scoreRows } from './score-rows.js';
import { noteParts } from './text/note-parts.js';
import { dollars, grouped } from './text/number-text.js';

/** `report.md`: headline table, the suite's tables, what did not pass and why, spend, provenance. */
export function markdownReport(subject: ReportSubject, details: AnalysedDetails): string {
  const tables = detailTables(details).map(markdownTable);
  const samples = sampleTable(details.failures);
  const analysis = [...failureTables(details.failures), ...(samples.rows.length === 0 ? [] : [samples])];
  return [
    ...[headline(subject), results(subject), ...tables, integrity(subject), failures(subject)],
    ...analysis.map(markdownTable),
    ...laterRunTables(details).map(markdownTable),
    ...[spend(subject), markdownTable(provenanceTable(subject))],
  ].join('\n');
}

/** A table of a suite as a section. */
export function markdownTable({ title, columns, rows, notes }: ReportTable): string {
  const rule = columns.map(({ kind }) => (kind === 'text' ? '---' : '---:'));
  const cells = rows.map((row) =>
    row.map((cell, index) =>
      cellText(cell, columns[index]?.kind ?? 'text')
        .split('\n')
        .map((line) => text(line, LONGEST_LINE))
        .join('<br>'),
    ),
  );
  const head = columns.map((column) => text(column.title));
  const below = [table(head, rule, cells), ...notes.map((note) => `${noteText(note)}\n`)];
  return `## ${text(title)}\n\n${(rows.length === 0 ? below.slice(1) : below).join('\n')}`;
}

/** Characters of a line of a cell. */
const LONGEST_LINE = 600;

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
  const scores = scoreRows(subject);
  const rows = scores.map((row) => columns.map(({ cell }) => text(cell(row))));
  const note =
    `Score = passed / scored, where scored = passed + failed. ${intervalNotes(scores).join(' ')} ` +
    'Errored and not-run trials are outside the score; the bounds beside "errored" are the score if every errored trial had failed or passed.';
  const judge = judgeText(subject);
  const warning = judge === null ? '' : `\n**Judge:** ${judge}.\n`;
  const further = figureTables(scores).map((each) => `\n${markdownTable(each)}`);
  return `## Results\n\n${table(head, rule, rows)}\n${note}\n${warning}${further.join('')}`;
}

function integrity(subject: ReportSubject): string {
  const section = integrityTable(subject);
  const note = section.notes.map(noteText).join(' ');
  if (section.rows.length > 0) return markdownTable(section);
  return `## ${section.title}\n\nNothing is held against any candidate. ${note}\n`;
}

function failures(subject: ReportSubject): string {
  const section = failureTable(subject);
  return section.rows.length === 0 ? `## ${section.title}\n\nNone.\n` : markdownTable(section);
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
  const unanswered = unansweredText(campaign.spend);
  const reused = reusedText(campaign.spend);
  return `## Spend\n\n${dollars(microUsd / 1_000_000)} and ${grouped(tokens)} tokens in ${grouped(calls)} model calls (budget: ${budgetText(campaign.spec.budget)}); of it ${dollars(shared.usd)} and ${grouped(shared.tokens)} tokens for making shared candidates, which the trials above do not count. Calls sent again after a crash without an answer: ${grouped(repeatedCalls)}.${recovered}${replayed}${unanswered === null ? '' : ` ${unanswered}.`}${reused === null ? '' : ` ${reused}.`}${overshoot === null ? '' : ` Overshoot, part of these sums: ${overshoot}.`}${implausible === null ? '' : ` ${implausible}.`}\n`;
}

function table(head: readonly string[], rule: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** One line without control sequences, and without what Markdown or HTML would act on. */
const text = (raw: string, most = 300): string => escaped(plainLine(raw, most));

function escaped(line: string): string {
  return line.replace(/[\\`*_[\]<>|#!]/g, (character) => (character === '<' ? '&lt;' : `\\${character}`));
}

/** A note of ours, on one line. */
const noteText = (note: string): string =>
  noteParts(plainLine(note, 600))
    .map(({ text: part, isCode }) => (isCode ? `\`${part}\`` : escaped(part)))
    .join('');
