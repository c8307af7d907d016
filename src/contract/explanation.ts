/** What a code in a record or report means: a failure type, a reason of a verdict, a failure class or a flag. */
export interface Explanation {
  kind: 'failure' | 'reason' | 'class' | 'flag';
  /** What happened, in a sentence. */
  meaning: string;
  /** What it usually comes from. */
  cause: string;
  /** The command or change that comes next. */
  next: string;
}

/** Explanations by code. */
export type Explanations<Code extends string = string> = Readonly<Record<Code, Explanation>>;
