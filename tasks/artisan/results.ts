import type { Label } from './calibration/families.js';
import type { Making, StaticReason } from './judge/verdict.js';

/** What each stage hands to the next, through the history: ids, hashes and counts, never text. */

/** Of `harvest`: the runs that a right table is followed by. */
export type Harvested = { runs: string[] };

/** Of `generate`. `script`: blob; `refusal`: why it is not run; `label`: of a script of which it is known what it is. */
export type Generated = {
  script: string;
  sizeBytes: number;
  refusal: StaticReason | null;
  note: string | null;
  making: Making;
  label: Label | null;
};

/** Input of `execute`. `run`: `whole`, `withheld`, `underived` or `twin/ID`. */
export type Execution = { script: string; run: string };

/** Of `execute`. `evidence`: blob of what the run left; `right`: it gives the printed table; `remembered`: of an earlier run of the same. */
export type Executed = { evidence: string; right: boolean; ended: string; seconds: number; remembered: boolean };

/** What a model says of a script by its text; null where it named no method. */
export type Opinion = { model: string; method: Label | null; reason: string };

/** Of `execute`, step `opinion`. `evidence`: blob of the {@link Opinion}. */
export type Opined = { evidence: string; method: Label | null };

/** Input of `score`; `runs`: name → evidence, empty where nothing was run; `opinion`: evidence, where a model was asked. */
export type Scored = Omit<Generated, 'sizeBytes' | 'label'> & { runs: Record<string, string>; opinion?: string };
