/** Why a file is not one that GitHub would run. */
export type SyntaxProblem = {
  file: string;
  /** 1-based; 0 where it is about the whole file. */
  line: number;
  column: number;
  /** Stable name: `yaml`, `duplicate-key`, `schema`, `no-steps`. */
  rule: string;
  message: string;
};

/** What the first layer says of a candidate: valid where there is no problem. */
export type SyntaxReport = { problems: SyntaxProblem[]; workflows: string[]; actions: string[] };

/** Problems kept of one candidate: the first ones say what is wrong. */
export const MOST_PROBLEMS = 50;

/** Limits of what is parsed at all. */
export const CAPS = {
  files: 20,
  bytes: 128 * 1024,
  aliases: 100,
  depth: 40,
  /** Nodes of one file once its aliases are replaced by what they stand for. */
  nodes: 50_000,
  legs: 256,
} as const;
