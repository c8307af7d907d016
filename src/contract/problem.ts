/** A place in a text file; line and column count from 1. */
export interface Place {
  file: string;
  line: number;
  column: number;
}

/** One mistake in what a user gave us, or one thing that stands in the way. All problems of a file are collected and printed together. */
export interface Problem {
  /** What is wrong: `"glod" is not a generator of this suite`. */
  message: string;
  /** In what a file says, the keys down to it: `['systems', 1, 'generator']`. Told before the message by whoever tells it. */
  path?: readonly PropertyKey[];
  /** Where it stands, if the message begins with that. */
  place?: Place;
  /** What would be right, where something specific is: `one of gold, null, snapshot, single-prompt`. */
  expected?: string;
  /** How to fix it, where a user can: `did you mean "gold"?`. */
  fix?: string;
}

/** What stands beside the message of a problem. */
export type Advice = Pick<Problem, 'expected' | 'fix'>;

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
