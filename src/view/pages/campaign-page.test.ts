import { expect, it } from 'vitest';
import { ID, SUBJECT } from '../../../tests/fixtures/engine/report-subject.js';
import type { CampaignState } from '../../client/inspect/campaign-state.js';
import { fileLinks } from '../file-links.js';
import { SERVED_LINKS } from '../links.js';
import { livePart } from './campaign-page.js';

it('the page of a campaign tells what was charged without an answer', async () => {
  const state = { subject: SUBJECT, generations: [] } as unknown as CampaignState;
  const page = await livePart(fileLinks('campaign.html'), state, []);
  expect(String(page)).toMatch(
    /3 calls, 1 repeated; 2 requests without a usable answer count at their estimate, not among the calls; 3 answers of/,
  );
});

it('a campaign that runs says how far it is, when it will end, what it waits for, what is spent, and what went wrong most', async () => {
  const at = new Date().toISOString();
  const wait = {
    type: 'sandbox.unavailable',
    owners: 3,
    generations: 0,
    since: at,
    lastTriedAt: at,
    message: 'refused',
  };
  const underWay = {
    ...{ generations: [], generationsToCome: 2, waits: [wait] },
    queues: [{ role: 'sandbox', steps: 5, oldestSeconds: 30 }],
    ...{ secondsLeft: { low: 120, high: 300 }, at: Date.now() },
  };
  const subject = { ...SUBJECT, campaign: { ...SUBJECT.campaign, status: 'running' } };
  const state = { subject, isOpen: true, problem: 'no worker is alive', underWay, generations: [], installation: null };
  const page = String(await livePart(SERVED_LINKS, state as unknown as CampaignState, []));
  const text = page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(text).toContain('7 of 8 done: 2 passed, 3 failed, 1 errored, 1 not run, $0.0015 of $2.00');
  expect(text).toMatch(/about [\d.]+ to [\d.]+ min left/);
  expect(text).toContain('problem: no worker is alive');
  expect(text).toMatch(/waiting for Docker since [\d:]+ UTC \(3 trials, last tried [\d:]+\): refused/);
  expect(text).toMatch(/waiting for a sandbox slot since [\d:]+ UTC: 5 steps/);
  expect(text).toContain('to be made 2 shared candidates');
  expect(page).toMatch(/<progress\s+aria-label="Dollars spent of the budget"\s+max="2"\s+value="0.0015"/);
  // Three failed and one errored: an error is worse, and leads to its trials.
  expect(text).toContain('Most often: prompt, sandbox.image-missing (1 errored)');
  const address = SERVED_LINKS.trials(ID, {
    ...{ outcomes: ['errored'], systems: ['prompt'], reason: 'sandbox.image-missing' },
  });
  expect(page).toContain(`<a href="${address!.replaceAll('&', '&amp;')}">prompt, sandbox.image-missing</a>`);
});
