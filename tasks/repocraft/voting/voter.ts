import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { CandidateEntry } from '../candidate/candidate-index.js';
import type { Answer } from './vote-rules.js';

/** A match as a voter sees it. */
export interface Ballot {
  task: RepocraftTask;
  entry: CandidateEntry;
  /** Cosine similarity of the description and the entry. */
  similarity: number;
  /** The entry's lines, cut at a limit. */
  source: string;
}

/** One answer. */
export interface Vote {
  answer: Answer;
  /** One sentence; of a model at most 400 bytes (`vote-answer.ts`). */
  reason: string;
  /** Who answered: a model's name, or the rule. */
  model: string;
}

/** Something that votes: `voter` and `round` count from 1. */
export type Voter = (ballot: Ballot, seat: { voter: number; round: number }) => Promise<Vote>;
