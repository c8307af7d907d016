import type { ReportInput, ReportTable } from '../../../src/suite/report.js';
import { isRight, judgeCell, plainText } from '../judge/cell.js';
import type { TrialReport } from '../judge/verdict.js';

/** A cell in which several systems agree on another value than the printed one: perhaps an error of the paper or of its artifact. */
interface Finding {
  task: string;
  row: string;
  column: string;
  /** What they printed; the first of them. */
  found: string;
  /** Ids of the systems. */
  systems: string[];
  reason: string;
  /** A finding is proposed by rule; people confirm and report it. */
  state: 'proposed';
  reviewer: null;
}

/** Whoever has fewer cells right has computed another table. */
const FEWEST_MATCHED = 0.5;

/**
 * The cells of a campaign in which at least two systems printed one other value, each in a table that is right in at least half of its
 * cells. Their method is not proven: further runs are only done where the whole table is right.
 */
export async function campaignFindings({ trials, evidence }: ReportInput): Promise<Finding[]> {
  if (evidence === undefined) return [];
  const near = trials.filter(
    ({ reason, metrics }) => reason === 'mismatch.cells' && (metrics.matched ?? 0) >= FEWEST_MATCHED,
  );
  const wrong = [];
  for (const { id, taskId: task, systemId: system } of near) {
    const kept = await evidence(id, 'judgement.json');
    if (kept === null) continue;
    const { table } = JSON.parse(kept.toString('utf8')) as Pick<TrialReport, 'table'>;
    for (const { row, column, outcome, given } of table?.cells ?? [])
      if (!isRight(outcome) && outcome === 'mismatch' && given !== null)
        wrong.push({ task, system, row, column, given });
  }
  const findings: Finding[] = [];
  for (const cell of wrong) {
    const alike = wrong.filter((each) => isSameCell(each, cell) && isSameValue(each.given, cell.given));
    const systems = [...new Set(alike.map(({ system }) => system))].sort();
    const { task, row, column, given: found } = cell;
    if (systems.length < 2 || findings.some((each) => isSameCell(each, cell) && isSameValue(each.found, found)))
      continue;
    const reason = `${systems.length} systems print one other value`;
    findings.push({ task, row, column, found, systems, reason, state: 'proposed', reviewer: null });
  }
  return findings;
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
export function findingTable(findings: readonly Finding[]): ReportTable[] {
  if (findings.length === 0) return [];
  return [
    {
      title: 'Findings',
      columns: ['task', 'row', 'column', 'found', 'systems', 'state'].map((title) => ({
        title,
        kind: 'text' as const,
      })),
      rows: findings.map(({ task, row, column, found, systems, state }) => [
        task,
        row,
        column,
        found,
        systems.join(', '),
        state,
      ]),
      notes: [
        'Cells in which systems agree on another value than the printed one: to be looked at by a person. Whole in report.json.',
      ],
    },
  ];
}
