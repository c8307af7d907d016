import { jsonHash } from '../../../../src/domain/text/content-hash.js';
import type { GoldSubject } from '../gold-bench.js';
import type { GoldFinding } from '../gold-validation.js';
import type { RepocraftTask } from '../repocraft-task.js';

/** A task before gold: no id and no category yet, those depend on its neighbours. */
export type Draft = Omit<RepocraftTask, 'id' | 'category'>;

/** What was cut out of a release. */
export interface Drafts {
  harvested: number;
  /** `tests/file.py::Class::test` → the rule that dropped it. */
  dropped: Record<string, { rule: string; detail: string }>;
  drafts: Draft[];
  /** Test functions whose groups were left out before gold, where there are far more groups than wanted. */
  unsampled: number;
}

/** A draft with the key gold knows it by. */
export type DraftSubject = GoldSubject & { task: Draft };

/** The drafts as gold runs them. */
export function subjectsOf({ drafts }: Drafts): DraftSubject[] {
  return drafts.map((task) => ({ key: draftKey(task), task }));
}

/** Of its content, so that what gold said of a draft is known again whatever became of its neighbours. */
function draftKey({ source, functions, test_code, auxiliary_code }: Draft): string {
  return `t${jsonHash({ file: source.file, functions, test_code, auxiliary_code }).slice(0, 20)}`;
}

/** What gold leaves of the drafts. */
export interface Remainder {
  survivors: Draft[];
  /** Rule → test functions dropped by it, before gold or on it. */
  dropped: Record<string, number>;
  /** Why each was, a line a test or task. */
  leftOut: string[];
}

/**
 * Takes away what does not hold on gold. That a task is quick enough is judged when it is drawn: a kept one stays on a slower
 * machine, so that the same tasks are locked on any.
 */
export function withoutBroken(
  plan: Drafts,
  subjects: readonly DraftSubject[],
  { findings, isKept }: { findings: ReadonlyMap<string, GoldFinding>; isKept: (draft: Draft) => boolean },
): Remainder {
  const survivors: Draft[] = [];
  const dropped = countRules(Object.values(plan.dropped).map((entry) => entry.rule));
  const leftOut = Object.entries(plan.dropped).map(([test, { rule, detail }]) => `${rule} ${test}: ${detail}`);
  for (const { key, task } of subjects) {
    const found = findings.get(key);
    if (!found?.rule || (found.rule === 'slow' && isKept(task))) survivors.push(task);
    else {
      leftOut.push(`${found.rule} ${task.functions.join(', ')}: ${found.reason.split('\n').at(-1) ?? ''}`);
      dropped[found.rule] = (dropped[found.rule] ?? 0) + task.functions.length;
    }
  }
  return { survivors, dropped, leftOut };
}

function countRules(rules: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const rule of [...rules].sort()) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}
