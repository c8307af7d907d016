/** One mistake in what a user gave us, or one thing that stands in the way. All problems of a file are collected and printed together. */
export interface Problem {
  /** Where and what: `systems[1].generator: "glod" is not a generator of this suite`. */
  message: string;
  /** What would be right, where something specific is: `one of gold, null, snapshot, single-prompt`. */
  expected?: string;
  /** How to fix it, where a user can: `did you mean "gold"?`. */
  fix?: string;
}

/** What stands beside the message of a problem. */
export type Advice = Omit<Problem, 'message'>;

/** What a code means: a failure type, a reason of a verdict, a failure class, a flag, or the error a command ended with. */
export interface Explanation {
  kind: 'failure' | 'reason' | 'class' | 'flag' | 'error';
  /** What happened, in a sentence. */
  meaning: string;
  /** What it usually comes from. */
  cause: string;
  /** The command or change that comes next. */
  next: string;
}

/** Explanations by code. */
export type Explanations<Code extends string = string> = Readonly<Record<Code, Explanation>>;
