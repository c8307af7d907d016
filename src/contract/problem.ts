/** One mistake in what a user gave us, in three parts. All problems of a file are collected and printed together. */
export interface Problem {
  /** Where and what: `systems[1].generator: "glod" is not a generator of repocraft`. */
  what: string;
  /** What is allowed: `one of gold, null, snapshot, single-prompt`. */
  allowed: string;
  /** How to mend it: `did you mean "gold"?`. */
  remedy: string;
}
