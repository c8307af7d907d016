import type { RecordedReview } from '../../../src/contract/verdict.js';
import type { Finding, ReportInput, ReportTable } from '../../../src/suite/report.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import { isRight, judgeCell, plainText } from '../judge/cell.js';
import { isPassing, type TrialReport } from '../judge/verdict.js';
import { lastReviews } from './reviews.js';

/** A cell in which several systems agree on another value than the printed one: perhaps an error of the paper or of its artifact. */
export interface CellFinding extends Place {
  /** What they printed; the first of them. */
  found: string;
  /** Ids of the systems, and of their trials. */
  systems: string[];
  trials: string[];
  reason: string;
  /** Proposed by rule; confirmed where a person says of one of these trials that it passes. */
  state: Finding['state'];
  reviewer: string | null;
}

/** Whoever has fewer cells right has computed another table. */
const FEWEST_MATCHED = 0.5;

/**
 * The cells of a campaign in which at least two systems printed one other value, each in a table that is right in at least half of its
 * cells. Their method is not proven: further runs are only done where the whole table is right.
 */
export async function campaignFindings({ trials, evidence, reviews }: ReportInput): Promise<CellFinding[]> {
  if (evidence === undefined) return [];
  const near = trials.filter(
    ({ reason, metrics }) => reason === 'mismatch.cells' && (metrics.matched ?? 0) >= FEWEST_MATCHED,
  );
  const wrong = [];
  for (const { id: trial, taskId: task, systemId: system } of near) {
    const kept = await evidence(trial, 'judgement.json');
    if (kept === null) continue;
    const { table } = JSON.parse(kept.toString('utf8')) as Pick<TrialReport, 'table'>;
    for (const { row, column, outcome, given } of table?.cells ?? [])
      if (!isRight(outcome) && outcome === 'mismatch' && given !== null)
        wrong.push({ task, trial, system, row, column, given });
  }
  const findings: CellFinding[] = [];
  for (const cell of wrong) {
    const alike = wrong.filter((each) => isSameCell(each, cell) && isSameValue(each.given, cell.given));
    const systems = [...new Set(alike.map(({ system }) => system))].sort();
    const { task, row, column, given: found } = cell;
    if (systems.length < 2 || findings.some((each) => isSameCell(each, cell) && isSameValue(each.found, found)))
      continue;
    const own = [...new Set(alike.map(({ trial }) => trial))].sort();
    const reason = `${systems.length} systems print one other value`;
    findings.push({ task, row, column, found, systems, trials: own, reason, ...stateOf(own, reviews) });
  }
  return findings;
}

function stateOf(
  trials: readonly string[],
  reviews: readonly RecordedReview[],
): Pick<CellFinding, 'state' | 'reviewer'> {
  const last = lastReviews(reviews);
  const said = trials.flatMap((trial) => last.get(trial) ?? []).find(({ status }) => isPassing(status));
  return said === undefined ? { state: 'proposed', reviewer: null } : { state: 'confirmed', reviewer: said.author };
}

/** Every finding of a campaign's tasks, whole: where artifacts are known to differ from their papers, and what its systems found. */
export async function exportedFindings(input: ReportInput): Promise<Finding[]> {
  const ids = [...new Set(input.trials.map(({ taskId }) => taskId))].sort();
  const tasks = new Map<string, ArtisanTask>();
  for (const id of ids) {
    const kept = (await input.task?.(id)) ?? null;
    if (kept !== null) tasks.set(id, JSON.parse(kept.toString('utf8')) as ArtisanTask);
  }
  const known = [...tasks.values()].flatMap(({ id: task, disagreements, printed: settled }) =>
    disagreements.map(({ row, column, printed, reason, evidence, reviewer }): Finding => {
      const found = settled[row]?.[column] ?? '';
      return {
        ...{ source: 'dataset', task, place: { row, column }, printed, found },
        ...{ reason, evidence: [evidence], state: 'confirmed', reviewer },
      };
    }),
  );
  const seen = (await campaignFindings(input)).map(
    ({ task, row, column, found, trials, reason, state, reviewer }): Finding => {
      const printed = tasks.get(task)?.printed[row]?.[column] ?? null;
      return {
        ...{ source: 'campaign', task, place: { row, column }, printed, found },
        ...{ reason, evidence: trials, state, reviewer },
      };
    },
  );
  return [...known, ...seen];
}

interface Place {
  task: string;
  row: string;
  column: string;
}

const isSameCell = (a: Place, b: Place): boolean => a.task === b.task && a.row === b.row && a.column === b.column;

/** To four digits, as numbers; else as texts. */
function isSameValue(a: string, b: string): boolean {
  const expected = { type: 'decimal', printed: plainText(a), tolerance: { significant: 4 } } as const;
  const isNumber = judgeCell({ type: 'decimal', printed: '0' }, a) !== 'unreadable';
  return isNumber ? isRight(judgeCell(expected, b)) : plainText(a) === plainText(b);
}

/** Nothing where there are none. */
export function findingTable(findings: readonly CellFinding[]): ReportTable[] {
  if (findings.length === 0) return [];
  return [
    {
      title: 'Findings',
      columns: ['task', 'row', 'column', 'found', 'systems', 'state'].map((title) => ({
        title,
        kind: 'text' as const,
      })),
      rows: findings.map(({ task, row, column, found, systems, state, reviewer }) => [
        ...[task, row, column, found, systems.join(', ')],
        reviewer === null ? state : `${state} by ${reviewer}`,
      ]),
      notes: [
        'Cells in which systems agree on another value than the printed one: to be looked at by a person, whose review of such a trial as passed confirms it. durabench export --format findings writes them beside what is printed, with the disagreements that the dataset knows of.',
      ],
    },
  ];
}
