/** What each stage hands to the next, through the history: ids, hashes and counts, never text. */

/** Of `harvest`. `question`: blob of the messages, null where nobody is asked. `stated`: requirements the prompt states; `scenarios`: runs that show them. */
export type Harvested = { question: string | null; stated: string[]; scenarios: string[] };

/** Of `generate`. `candidate`: blob of the files, a tar; `refusal`: why an answer holds none. */
export type Generated = { candidate: string; files: number; refusal: string | null; notes: string[] };

/** Of `localize`: which files count, and whether GitHub would take them. */
export type Localized = { files: string[]; isValid: boolean; problems: number };

/** Of `execute`, step `lint`. `lint`: blob of what the tools said; `remembered`: from an earlier look at the same files. */
export type Linted = { lint: string; remembered: boolean };

/** Input of `execute`, a step a scenario. */
export type Execution = { candidate: string; scenario: string };

/** Of `execute`, a step a scenario. `evidence`: blob of what the runs left; `remembered`: of an earlier run of the same; the rest is for people. */
export type Executed = {
  scenario: string;
  evidence: string;
  refused: number;
  seconds: number;
  ended: string[];
  remembered: boolean;
};

/** Input of `score`. `lint`: blob, null where nothing was linted; `runs`: null where nothing was executed. */
export type Scored = Pick<Generated, 'candidate' | 'refusal' | 'notes'> & {
  stated: string[];
  lint: string | null;
  runs: { scenario: string; evidence: string }[] | null;
};
