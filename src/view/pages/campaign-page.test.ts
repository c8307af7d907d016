import { expect, it } from 'vitest';
import { SUBJECT } from '../../../tests/fixtures/engine/report-subject.js';
import type { CampaignState } from '../../client/inspect/campaign-state.js';
import { fileLinks } from '../file-links.js';
import { livePart } from './campaign-page.js';

it('the page of a campaign tells what was charged without an answer', async () => {
  const state = { subject: SUBJECT, generations: [] } as unknown as CampaignState;
  const page = await livePart(fileLinks('campaign.html'), state, []);
  expect(String(page)).toMatch(
    /3 calls, 1 repeated; 2 requests without a usable answer count at their estimate, not among the calls; 3 answers of/,
  );
});
