import type { Method } from '../judge/method.js';
import type { Intervals, TableShape, Values } from '../judge/table.js';

/** A version of an artifact: the blob of its files as a tar. */
interface Artifact {
  sha256: string;
}

/** One table of a study, whole; canonical JSON of it is the blob that campaigns are pinned to. It never leaves the installation. */
export interface ArtisanTask {
  version: 1;
  id: string;
  study: string;
  title: string;
  reference: string;
  caption: string;
  /** Column → what it means, where its key does not say it. */
  meanings: Record<string, string>;
  shape: TableShape;
  /** As printed in the paper, but for the disagreements. */
  printed: Values;
  /** Where the artifact says otherwise than the paper: its value is asked for. */
  disagreements: {
    row: string;
    column: string;
    /** By the paper. */
    printed: string;
    reason: string;
    evidence: string;
    reviewer: string;
  }[];
  /** The paper without hidden values. */
  paper: string;
  /** The best that a script can do: from raw data, or from shipped intermediate data. */
  best: Extract<Method, 'full' | 'last-mile'>;
  image: string;
  limits: { seconds: number; memoryMib: number };
  /** Of the artifact that a system gets: path and bytes. */
  files: { path: string; bytes: number }[];
  artifacts: {
    whole: Artifact;
    /** Without result files; null where there is none. */
    withheld: Artifact | null;
    /** Without derived files too; null where there is none. */
    underived: Artifact | null;
  };
  /** Altered data, and what the reference script makes of it. */
  twins: { id: string; artifact: Artifact; expected: Values; intervals?: Intervals }[];
  /** Scripts by what they are: `reference`, and copies by their name: those of the repository, and those made by rule (`copies.ts`). */
  scripts: { reference: string; copies: Record<string, string> };
}

/** The mount of an artifact. */
export const ARTIFACT_PATH = '/artifact';
