import type { Connection } from '../connection.js';

/** What stopping a campaign means for its trials. */
export interface StopEffect {
  /** Ids of those that run now. */
  running: string[];
  /** How many have not begun. */
  waiting: number;
  /** How many have ended, and stay as they ended. */
  finished: number;
}

/** Reads where the trials of a campaign stand. */
export async function stopEffect({ records }: Connection, campaignId: string): Promise<StopEffect> {
  const { running, planned, done } = await records.trialStates(campaignId);
  return { running, waiting: planned, finished: done };
}
