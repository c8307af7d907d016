/** What each stage hands to the next, through the history: ids, hashes and counts, never text. */

/** Of `harvest`. */
export type Harvested = { task: string; lines: number };

/** Of `generate`. `answer` is the blob that holds the text. */
export type Generated = { answer: string; sizeBytes: number };

/** Of `localize`. `line` is where the answer stands in what was said; null when there is none. */
export type Localized = { line: number | null };

/** Of `vote`. */
export type Voted = { accepted: boolean; yes: number };

/** Of `execute`. */
export type Executed = { equal: boolean; sleptMs: number };

/** Input of `score`; null for what was skipped. */
export type Scored = { localized: boolean; accepted: boolean | null; equal: boolean | null };
