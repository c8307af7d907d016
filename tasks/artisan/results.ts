import type { StaticReason } from './judge/verdict.js';

/** What each stage hands to the next, through the history: ids, hashes and counts, never text. */

/** Of `harvest`: the runs that a right table is followed by. */
export type Harvested = { twins: string[]; hasResults: boolean; hasDerived: boolean };

/** Of `generate`. `script`: blob; `refusal`: why it is not run; `turns`: of an agent, null elsewhere. */
export type Generated = {
  script: string;
  sizeBytes: number;
  refusal: StaticReason | null;
  note: string | null;
  turns: number | null;
};

/** Input of `execute`. `run`: `whole`, `withheld`, `underived` or `twin/ID`. */
export type Execution = { script: string; run: string };

/** Of `execute`. `evidence`: blob of what the run left; `right`: it gives the printed table; `remembered`: of an earlier run of the same. */
export type Executed = { evidence: string; right: boolean; ended: string; seconds: number; remembered: boolean };

/** Input of `score`; `runs`: name → evidence, empty where nothing was run. */
export type Scored = Omit<Generated, 'sizeBytes'> & { runs: Record<string, string> };
