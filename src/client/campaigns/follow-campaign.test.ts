import { describe, expect, it, vi } from 'vitest';
import type { CampaignStatus } from '../../contract/campaign.js';
import { pollPauseMs, untilClosed } from './follow-campaign.js';

it.each([
  ['quick', 5, 500],
  ['slow', 100, 5_000],
  ['stuck', 25_000, 15_000],
])('a %s answer (%i ms) is followed by a pause of %i ms', (_, tookMs, pauseMs) => {
  expect(pollPauseMs(tookMs)).toBe(pauseMs);
});

describe('between two polls of a campaign whose sums take long', () => {
  const HOUR_MS = 3_600_000;
  const { signal } = new AbortController();

  it('its end is seen, whenever the next poll is due', async () => {
    const answers: CampaignStatus[] = ['running', 'paused', 'completed'];
    const campaignStatus = async (): Promise<CampaignStatus> => answers.shift() ?? 'running';
    await untilClosed({ records: { campaignStatus } }, { id: 'c', signal }, Date.now() + HOUR_MS);
    expect(answers).toEqual([]);
  });

  it('records that are unavailable are left to the next poll, which comes when it is due', async () => {
    const campaignStatus = vi.fn(() => Promise.reject(new Error('away')));
    const due = Date.now() + 500;
    await untilClosed({ records: { campaignStatus } }, { id: 'c', signal }, due);
    expect(Date.now()).toBeGreaterThanOrEqual(due);
    expect(campaignStatus).toHaveBeenCalled();
  });

  it('an abort ends the wait', async () => {
    const interrupt = new AbortController();
    const campaignStatus = async (): Promise<CampaignStatus> => {
      interrupt.abort();
      return 'running';
    };
    const watch = { id: 'c', signal: interrupt.signal };
    await untilClosed({ records: { campaignStatus } }, watch, Date.now() + HOUR_MS);
    expect(interrupt.signal.aborted).toBe(true);
  });
});
