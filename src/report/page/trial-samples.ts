import type { TrialRow } from '../../ports/records.js';

/** Ids shown of trials that ended alike; the command beside them lists all. */
const MOST_IDS = 40;

/** Trials of a system that ended alike in one group. */
export interface TrialSample {
  systemId: string;
  group: string;
  /** `passed`, `failed`, `errored`, `not_run`, or `open` where it has not ended. */
  outcome: string;
  count: number;
  /** The first ones, in plan order. */
  ids: string[];
}

/** Collects, of page after page of trials, which ended how. */
export function createTrialSampler(): { add(page: readonly TrialRow[]): void; samples(): TrialSample[] } {
  const found = new Map<string, TrialSample>();
  return {
    add(page) {
      for (const { id, systemId, group, outcome } of page) {
        const key = `${outcome}\n${systemId}\n${group}`;
        const sample = found.get(key) ?? { systemId, group, outcome: outcome ?? 'open', count: 0, ids: [] };
        sample.count += 1;
        if (sample.ids.length < MOST_IDS) sample.ids.push(id);
        found.set(key, sample);
      }
    },
    samples: () => [...found.values()],
  };
}
