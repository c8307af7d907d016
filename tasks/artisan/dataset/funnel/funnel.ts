import { filesOf, type ArtifactTree } from './artifact-tree.js';
import { CRITERIA } from './criteria.js';
import { viewOf, type Criterion, type FunnelVerdict, type Judgement } from './judgement.js';
import type { Override } from './overrides.js';
import type { StudyRecord } from './study-record.js';

/** What a criterion says of a study (`table` null) or of a table of it. */
export interface FunnelRow extends Judgement {
  criterion: string;
  table: string | null;
  /** Where a person has said otherwise: what the rule said, and why that does not hold. */
  override?: { rule: FunnelVerdict; reason: string; reviewer: string };
}

/** What the funnel says of a study: every criterion, also those behind one that it is out by. */
export interface StudyFunnel {
  study: string;
  rows: FunnelRow[];
}

/** Judges a study and its tables: pure, from the artifact's files, what is known of it, and what people have said of the rules' verdicts. */
export function judgeStudy(record: StudyRecord, tree: ArtifactTree, overrides: readonly Override[] = []): StudyFunnel {
  const study = viewOf(record, filesOf(tree));
  const rowOf = (criterion: Criterion, table: string | null, judgement: Judgement): FunnelRow => {
    const row = { criterion: criterion.id, table, ...judgement };
    const said = overrides.find(
      (each) => each.study === record.id && each.criterion === criterion.id && (each.table ?? null) === table,
    );
    if (said === undefined) return row;
    const { reason, reviewer, verdict } = said;
    return { ...row, verdict, override: { rule: judgement.verdict, reason, reviewer } };
  };
  const rows = CRITERIA.flatMap((criterion) =>
    criterion.level === 'study'
      ? [rowOf(criterion, null, criterion.judge(study))]
      : record.tables.map((table) => rowOf(criterion, table.id, criterion.judge(study, table))),
  );
  return { study: record.id, rows };
}
