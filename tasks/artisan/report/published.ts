/** What was published of another system. */
interface PublishedFigures {
  system: string;
  graded: number;
  passed: number;
  /** A task on average; null where it is not told. */
  usd: number | null;
  wallSeconds: number | null;
}

/**
 * Of other systems, on other tasks: 60 tables of 23 papers (Baek and Pradel, Artisan: Agentic Artifact Evaluation, arXiv 2602.10046,
 * 2026, abstract): 44 scripts, 3.14 times as many as mini-swe-agent, at $0.45 and 48 minutes a task on average.
 */
export const PUBLISHED: readonly PublishedFigures[] = [
  { system: 'Artisan (published)', graded: 60, passed: 44, usd: 0.45, wallSeconds: 48 * 60 },
  { system: 'mini-swe-agent (published)', graded: 60, passed: 14, usd: null, wallSeconds: null },
];
