import { integrityMarks } from '../domain/campaign/integrity-marks.js';
import type { ReportTable } from '../suite/report.js';
import { failureRows } from './failure-rows.js';
import { againRows, changedVerdicts } from './later-runs.js';
import type { ReportDetails } from './report-details.js';
import type { ReportSubject } from './report-subject.js';
import { loosenedRows } from './sandbox-limit-rows.js';
import { messageLines } from './text/message-lines.js';
import { ABSENT, grouped } from './text/number-text.js';

type Column = ReportTable['columns'][number];

const texts = (...titles: string[]): Column[] => titles.map((title) => ({ title, kind: 'text' }));
const counts = (...titles: string[]): Column[] => titles.map((title) => ({ title, kind: 'count' }));

/** What is held against shared candidates; without rows where nothing is. */
export function integrityTable({ integrity: candidates }: Pick<ReportSubject, 'integrity'>): ReportTable {
  const marked = candidates.filter((row) => integrityMarks(row).length > 0);
  const tried = candidates.reduce((sum, row) => sum + row.negativeControls, 0);
  return {
    title: 'Integrity',
    columns: [
      ...texts('system', 'candidate of', 'marks'),
      ...counts('forged trials', 'vacuous trials', 'negative controls'),
      ...texts('what was found'),
    ],
    rows: marked.map((row) => [
      ...[row.systemId, `${row.scope}, repeat ${row.repeat}`, integrityMarks(row).join(', ')],
      ...[row.forgedTrials, row.vacuousTrials, row.negativeControls],
      [
        ...row.flags.map(({ detail }) => detail),
        ...(row.copiedTrials > 0
          ? [`${grouped(row.copiedTrials)} trials ran a copy of the reference that lies in no file`]
          : []),
      ].join('; '),
    ]),
    notes: [
      `${grouped(tried)} passed trials were tried again with a test altered so that it had to fail. ` +
        'Marks stand beside a score and do not change it; docs/guarantees/integrity.md says what each means.',
    ],
  };
}

/** Trials that did not pass, by system and reason. Messages are of several lines: what is wrong, what was expected, how to fix it. */
export function failureTable({ totals }: Pick<ReportSubject, 'totals'>): ReportTable {
  return {
    title: 'Trials that did not pass',
    columns: [...texts('system', 'outcome', 'blame', 'reason'), ...counts('trials'), ...texts('example', 'message')],
    rows: failureRows(totals).map((row) => [
      ...[row.system, row.outcome, row.blame ?? ABSENT, row.reason, row.trials, row.examples[0] ?? ''],
      messageLines({ message: row.message ?? '', ...row.advice }, 300).join('\n'),
    ]),
    notes: [],
  };
}

/** What was run or graded again, a table each; those without rows are left out. */
export function laterRunTables({ rerun }: Pick<ReportDetails, 'rerun'>): ReportTable[] {
  const regraded = rerun.filter((trial) => trial.regraded !== null).length;
  const changed = changedVerdicts(rerun);
  const again: ReportTable = {
    title: 'Run again',
    columns: [...texts('system'), ...counts('trials', 'passed', 'failed', 'not graded')],
    rows: againRows(rerun).map((row) => [row.system, row.trials, row.passed, row.failed, row.ungraded]),
    notes: ['Trials that were graded before and run again on request. The scores above keep the first graded run.'],
  };
  const regrades: ReportTable = {
    title: 'Regraded',
    columns: texts('trial', 'before', 'now'),
    rows: changed.map(({ trial, before, now }) => [trial, before, now]),
    notes: [`${grouped(regraded)} trials were scored anew; ${grouped(changed.length)} verdicts changed.`],
  };
  return [...(again.rows.length > 0 ? [again] : []), ...(regraded > 0 ? [regrades] : [])];
}

/** What pins the meaning of the campaign. */
export function provenanceTable({ campaign, events }: Pick<ReportSubject, 'campaign' | 'events'>): ReportTable {
  const { lock } = campaign;
  const regrader = events.findLast(({ action }) => action === 'regrade')?.details.grader;
  return {
    title: 'Provenance',
    columns: texts('what', 'value'),
    rows: [
      ['lock', lock.sha256],
      ['dataset', lock.datasetDigest],
      ['suite version', lock.suiteVersion],
      ['grader', lock.graderDigest],
      // A corrected grader is named beside the one the campaign was planned with.
      ...(typeof regrader === 'string' ? [['grader of the last regrade', regrader]] : []),
      ...Object.entries(lock.imageDigests).map(([name, digest]) => [`image ${name}`, digest]),
      ...loosenedRows(lock.sandboxLimits ?? {}).map(([purpose, limits]) => [`sandbox limits, ${purpose}`, limits]),
      ['prices (US dollars per million tokens)', JSON.stringify(lock.prices)],
      ...(campaign.spec.reuseAnswers ? [['answers of other campaigns', 'reused']] : []),
      ['seed', String(lock.seed)],
    ],
    notes: [],
  };
}
