/** What each stage hands to the next, through the workflow's history: hashes and counts, never text. */

/** Of `generate`. `pattern` is the blob that holds it; null where the answer has none. */
export type Generated = { pattern: string | null };

/** Of `execute`. How many texts it decides as the task says, or why it decides none. */
export type Executed =
  { ended: 'decided'; missed: number; overmatched: number } | { ended: 'invalid' | 'timed-out' | 'out-of-memory' };

/** Input of `score`; `ran` is null where nothing was run. */
export type Scored = { pattern: string | null; ran: Executed | null };
