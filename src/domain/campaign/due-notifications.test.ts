import { describe, expect, it } from 'vitest';
import type { NotifySpec } from '../../contract/campaign.js';
import { dueNotifications, targetText } from './due-notifications.js';

const all: NotifySpec = { webhookEnv: 'HOOK', on: ['end', 'soft_budget', 'stall'], stallMinutes: 30 };
const ends: NotifySpec = { command: ['tell', 'me'], on: ['end'], stallMinutes: 30 };
const campaign = { id: 'c', notify: [all, ends], now: [], still: null, told: [] };
const end = { event: 'end', key: '2' } as const;

describe('what a campaign has to tell', () => {
  it('is told to whoever wants it, once for each key', () => {
    expect(dueNotifications(campaign)).toEqual([]);
    expect(dueNotifications({ ...campaign, now: [end] })).toEqual([{ campaignId: 'c', ...end, targets: [0, 1] }]);
    const told = [{ ...end, target: 0 }];
    expect(dueNotifications({ ...campaign, now: [end], told })).toEqual([{ campaignId: 'c', ...end, targets: [1] }]);
    // Another end, after a resume.
    expect(dueNotifications({ ...campaign, now: [{ ...end, key: '3' }], told })).toHaveLength(1);
    const both = [...told, { ...end, target: 1 }];
    expect(dueNotifications({ ...campaign, now: [end], told: both })).toEqual([]);
  });

  it('is a stall where nothing moved for as long as each waits', () => {
    const since = '2026-01-01T00:00:00.000Z';
    const patient = { ...all, stallMinutes: 60 };
    const at = (minutes: number) =>
      dueNotifications({ ...campaign, notify: [all, patient], still: { minutes, since } });
    expect(at(29)).toEqual([]);
    expect(at(30)).toEqual([{ campaignId: 'c', event: 'stall', key: since, targets: [0] }]);
    expect(at(61)[0]?.targets).toEqual([0, 1]);
  });

  it('names whom it tells without anything secret', () => {
    expect(targetText(all)).toBe('webhook of HOOK');
    expect(targetText(ends)).toBe('command tell');
    expect(targetText({ ...all, webhook: 'https://hooks.example:8443/path/of/a/token' })).toBe(
      'webhook hooks.example:8443',
    );
  });
});
