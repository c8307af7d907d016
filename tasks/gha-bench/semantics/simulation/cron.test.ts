import { expect, test } from 'vitest';
import { isTimeZone, nextFires, parseCron, shortestGap } from './cron.js';

const FROM = Date.UTC(2026, 2, 27, 12);

function fires(text: string, count: number, zone?: string): string[] {
  const cron = parseCron(text);
  if (!cron) return ['refused'];
  return nextFires([{ cron, ...(zone === undefined ? {} : { zone }) }], FROM, count).map((fire) =>
    new Date(fire).toISOString().slice(0, 16),
  );
}

test.each<[string, string[]]>([
  ['30 5 * * 1', ['2026-03-30T05:30', '2026-04-06T05:30']],
  ['*/15 13 * * *', ['2026-03-27T13:00', '2026-03-27T13:15']],
  ['0 0 1 jan *', ['2027-01-01T00:00', '2028-01-01T00:00']],
  ['0 12 29 2 *', ['2028-02-29T12:00']],
  // Either day is enough where both are restricted.
  ['0 0 1 * SUN', ['2026-03-29T00:00', '2026-04-01T00:00']],
  ['5-59/20 0 * * mon-wed', ['2026-03-30T00:05', '2026-03-30T00:25']],
  ['0 0 31 2 *', []],
  ['@daily', ['refused']],
  ['0 0 * *', ['refused']],
  ['0 0 * * * *', ['refused']],
  ['60 0 * * *', ['refused']],
  ['0 24 * * *', ['refused']],
  ['0 0 * * 7', ['refused']],
  ['*/0 * * * *', ['refused']],
  ['5-1 * * * *', ['refused']],
])('%s', (text, expected) => {
  expect(fires(text, expected.length || 1)).toEqual(expected);
});

test('a zone has its own clock, summer time included', () => {
  expect(fires('30 2 * * *', 3, 'Asia/Tokyo')).toEqual(['2026-03-27T17:30', '2026-03-28T17:30', '2026-03-29T17:30']);
  // Berlin leaves UTC+1 for UTC+2 on 29 March.
  expect(fires('0 9 * * *', 2, 'Europe/Berlin')).toEqual(['2026-03-28T08:00', '2026-03-29T07:00']);
  expect([isTimeZone('America/New_York'), isTimeZone('Mars/Olympus')]).toEqual([true, false]);
});

test('the shortest gap', () => {
  const gap = (text: string): number | undefined => {
    const cron = parseCron(text);
    return cron && shortestGap(cron);
  };
  expect([gap('*/3 * * * *'), gap('0,2 6 * * *'), gap('0 6 * * *')]).toEqual([3, 2, 1440]);
});
