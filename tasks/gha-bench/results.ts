/** What each stage hands to the next, through the history: ids, hashes and counts, never text. */

/** Of `harvest`. `question`: blob of the messages, null where nobody is asked. `stated`: requirements the prompt states. */
export type Harvested = { question: string | null; stated: string[] };

/** Of `generate`. `candidate`: blob of the files, a tar; `refusal`: why an answer holds none. */
export type Generated = { candidate: string; files: number; refusal: string | null; notes: string[] };

/** Of `localize`: which files count, and whether GitHub would take them. */
export type Localized = { files: string[]; isValid: boolean; problems: number };

/** Of `execute`, step `lint`. `lint`: blob of what the tools said; `remembered`: from an earlier look at the same files. */
export type Linted = { lint: string; remembered: boolean };

/** Input of `score`. `lint`: blob, null where nothing was linted. */
export type Scored = {
  candidate: string;
  refusal: string | null;
  notes: string[];
  stated: string[];
  lint: string | null;
};
