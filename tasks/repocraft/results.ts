/** One candidate entry that localize returns; `entry` is its place in the index. */
export type Match = {
  entry: number;
  name: string;
  score: number;
  /** It is called like the task's main target. */
  sameName?: true;
  /** Nothing is called like the main target, and this like another definition of the reference: it is that one. */
  otherName?: true;
};

/** What localize found. `searched` is false where the oracle skipped it. */
export type Located = {
  searched: boolean;
  localized: boolean;
  matches: Match[];
  /** The candidate has an entry that is called like the task's main target, found or not; absent where nobody looked. */
  sameName?: boolean;
};

/** How sure a vote was: `high` all equal, `medium` a majority in round 1, `low` round 2. */
export type Confidence = 'high' | 'medium' | 'low';

/** One match voted on. `entry` is null where the oracle handed the targets over. */
export type VoteResult = {
  match: number;
  entry: number | null;
  /** Strict: the majority said YES; decides what is executed. */
  accepted: boolean;
  /** The majority said YES or PARTIAL; reported for the vote rate only. */
  lenient: boolean;
  confidence: Confidence;
  rounds: number;
  yes: number;
  partial: number;
  no: number;
  abstained: number;
  /** Decided on code without comments and texts, since every voter abstained with them. */
  bare?: true;
  /** Every voter abstained: nobody judged this match, and no verdict may follow. */
  undecided?: true;
};

/** The test bound to the candidate's names, or why it cannot be. */
export type AdaptResult = {
  /** Blob of {@link AdaptedTest}; null when refused. */
  adapted: string | null;
  /** Dotted code; null when adapted. */
  refused: string | null;
  /** One sentence for a person; null when adapted. */
  message: string | null;
  /** Reference paths that got another name. */
  renamed: number;
  /** What was accepted is of another kind than the task's main target, which was bound to something else, or to nothing. */
  isOffTarget?: true;
  /** Made by a model. */
  rewritten?: true;
};

/** Why the last try was none: what the runner reported, or what was said instead of a test. */
export type TestFailure = { report: string | null; message: string | null };

/** What a model made of the test: an {@link AdaptResult} with the answer it was read from. */
export type RewriteResult = AdaptResult & {
  /** Blob of the answer. */
  answer: string;
};

/** What is run: blob content, JSON. */
export type AdaptedTest = { testCode: string; auxiliaryCode: Record<string, string> };

/** What the sandbox said. */
export type RunResult = {
  passed: boolean;
  /** Dotted code, null when passed: `test.assertion`, `test.error`, `candidate.timeout`. */
  reason: string | null;
  /** One sentence for a person, at most 600 bytes of JSON; null when passed. */
  message: string | null;
  tests: number;
  passedTests: number;
  cpuSeconds: number | null;
  wallSeconds: number;
  /** Blob of `report.json`. */
  report: string;
  /** A negative control is to follow. */
  controlDue: boolean;
  /** Of the one that came before the test; absent where none did. */
  control?: ControlResult;
};

/** What became of the test with one expectation altered. */
export type ControlResult = {
  /** False where nothing in the test could be altered so that the reference fails it. */
  ran: boolean;
  /** It passed: the test does not judge this candidate. */
  vacuous: boolean;
  /** What was altered; null when it was not run. */
  kind: 'constant' | 'inside' | 'expected' | 'raises' | 'negated' | null;
};

/**
 * What became of the test on another match than the accepted one, or on the accepted one with names guessed that nothing answers
 * to (`judge.second_look`); never part of a verdict.
 */
export type LookResult = {
  /** Its place among the matches; what a second look finds further comes behind them. */
  match: number;
  isAccepted?: true;
  /** Names beside the target that nothing answers to were bound to the first, second … closest to them. */
  guess?: number;
  /** Voters would have been asked about it, had nothing before it been accepted. */
  isVotedOn: boolean;
  passed: boolean;
  /** Why it did not pass: of the test, or of the adaptation; null when it passed. */
  reason: string | null;
  /** Blob of the test; null where it could not be bound, or only to something else. */
  adapted: string | null;
};

/** What a second look finds beyond the matches. */
export type FurtherResult = { matches: Pick<Match, 'entry' | 'name'>[] };

/** Everything `score` judges by. */
export type ScoreInput = {
  located: Located;
  votes: VoteResult[];
  adapted: AdaptResult | null;
  run: RunResult | null;
  /** Null where none was due. */
  control: ControlResult | null;
  /** The look that passed, of a trial that failed in a campaign that looks twice: none where none did; absent in every other. */
  looks?: LookResult[];
  /** Calls of a model that was asked to rewrite the test; absent where the campaign names none. */
  rewrites?: number;
};

/** How much code a candidate has: Python only; tests, examples and benchmarks excluded; comments, docstrings and blanks out. */
export type CodeStats = {
  files: number;
  loc: number;
  /** o200k_base. */
  tokens: number;
  functions: number;
  /** Functions whose body is a placeholder (`python/candidate/placeholders.py` says which). */
  stubs: number;
};

/** A feature of a plan, and whether it was made. Blob content of `MadeCandidate.plan`: a list of them. */
export interface PlannedFeature {
  /** From wide to narrow. */
  path: string[];
  description: string;
  isDone: boolean;
}

/** Where a plan lies in a taxonomy: part of what `prepare` returns. */
export type PreparedCoverage = {
  /** Leaves of the taxonomy. */
  leaves: number;
  /** Places of those with at least one planned feature. */
  planned: number[];
  /** Planned features, and those of them outside the taxonomy; the same of the features that were made. */
  features: number;
  outside: number;
  done: number;
  doneOutside: number;
  /** The same features by clusters, and how far they agree with the nearest leaf; absent in candidates prepared before there were any. */
  clusters?: { planned: number; outside: number; agreement: number | null; kappa?: number | null };
  /** After a judge looked at each cluster; absent without one, `trusted` false where it agreed with what cannot be. */
  judged?: {
    planned: number;
    outside: number;
    moved: number;
    trusted: boolean;
    /** Features that it said something of; like the next two absent where it is not trusted, and in what was prepared before they were counted. */
    answered?: number;
    /** Those that the nearest leaf puts at the same place as the judge. */
    asNearest?: { agreed: number; kappa: number | null };
    /** Those that the clusters put at the same place as the judge. */
    asClusters?: { agreed: number; kappa: number | null };
  };
};

/** Where a candidate's own definitions lie in the taxonomy, whoever made it: `planned` reads covered, `done` is all of them. */
export type CodeCoverage = Omit<PreparedCoverage, 'done' | 'doneOutside'>;
