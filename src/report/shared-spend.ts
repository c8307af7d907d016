import type { ReportSubject } from './report-subject.js';

/** What making shared candidates cost: the campaign's spend that belongs to no single trial. */
export function sharedSpend({ campaign, totals }: ReportSubject): { usd: number; tokens: number } {
  const ofTrials = (amount: 'costMicroUsd' | 'tokens'): number =>
    totals.spend.reduce((sum, each) => sum + each[amount], 0);
  const microUsd = campaign.spend.microUsd - ofTrials('costMicroUsd');
  // Trials and totals are read one after the other; while a campaign runs the difference may be off for a moment.
  return {
    usd: Math.max(0, microUsd) / 1_000_000,
    tokens: Math.max(0, campaign.spend.tokens - ofTrials('tokens')),
  };
}
