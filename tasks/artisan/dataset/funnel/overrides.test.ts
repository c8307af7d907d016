import { expect, test } from 'vitest';
import { UserError } from '../../../../src/domain/failure/user-error.js';
import { judgeStudy } from './funnel.js';
import { readOverrides } from './overrides.js';
import type { StudyRecord } from './study-record.js';

const TABLES = { silver: ['silver-fit'], ozone: ['ozone-anova'] };
const REASON = 'the data was looked at, and the rule is wrong';
const line = (fields: string): string =>
  `- { ${fields}, verdict: in, reason: ${REASON.replace(',', ' ')}, reviewer: me }\n`;

function told(text: string): string {
  try {
    readOverrides(text, TABLES);
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message;
  }
  throw new Error('it was read');
}

test.each<[string, string, RegExp]>([
  [
    'an unknown criterion',
    line('criterion: colour, study: silver'),
    /\[0\]: there is no criterion colour\n.*\n.*track, badges/,
  ],
  ['an unknown study', line('criterion: badges, study: gold'), /\[0\]: there is no study gold\n.*\n.*silver, ozone/],
  ['a study that every object has', line('criterion: badges, study: toString'), /there is no study toString/],
  [
    'an unknown table',
    line('criterion: hardware, study: silver, table: ozone-anova'),
    /there is no table ozone-anova\n.*\n.*silver-fit/,
  ],
  ['no table where one is asked', line('criterion: hardware, study: silver'), /no table is named/],
  [
    'a table where studies are asked',
    line('criterion: badges, study: silver, table: silver-fit'),
    /badges is asked of studies/,
  ],
  [
    'no reason',
    '- { criterion: badges, study: silver, verdict: in, reviewer: me }\n',
    /overrides\.yaml:1:3: \[0\]\.reason is missing/,
  ],
  [
    'a reason of one word',
    '- { criterion: badges, study: silver, verdict: in, reason: wrong, reviewer: me }\n',
    /\[0\]\.reason is "wrong"\n.*at least 20 characters/,
  ],
  [
    'no reviewer',
    `- { criterion: badges, study: silver, verdict: in, reason: ${REASON.replace(',', '')} }\n`,
    /\[0\]\.reviewer is missing/,
  ],
  [
    'another verdict',
    line('criterion: badges, study: silver').replace('verdict: in', 'verdict: maybe'),
    /\[0\]\.verdict is "maybe"\n.*in, out, unknown/,
  ],
  ['one that stands twice', line('criterion: badges, study: silver').repeat(2), /\[1\]: badges silver stands twice/],
  ['what is no list', 'badges: in\n', /expected: a list/],
  ['what is no YAML', '- { criterion: [\n', /overrides\.yaml:2:1: not valid YAML/],
])('%s is told in three lines', (_what, text, message) => {
  const lines = told(text);
  expect(lines).toMatch(message);
  expect(lines).toMatch(
    /^(tasks\/artisan\/dataset\/funnel\/overrides\.yaml:.*\n {0,2}expected: .*\n {0,2}fix: .*\n?)+$/,
  );
});

test('everything that is wrong is told at once', () => {
  const message = told(line('criterion: colour, study: silver') + line('criterion: badges, study: gold'));
  expect(message.match(/overrides\.yaml/g)).toHaveLength(2);
});

test('no overrides are none', () => {
  expect(readOverrides('', TABLES)).toEqual([]);
});

test('an override takes the place of a verdict, which is kept beside it', () => {
  const record: StudyRecord = {
    ...{ id: 'silver', about: [], track: null, badges: null, address: null, environment: null, seconds: null },
    download: { isComplete: true },
    tables: [
      { id: 'silver-fit', caption: null, columns: null, cells: null, data: null, intervals: null },
      { id: 'silver-anova', caption: null, columns: null, cells: null, data: null, intervals: null },
    ],
  };
  const overrides = readOverrides(line('criterion: result-table, study: silver, table: silver-fit'), TABLES);
  const { rows } = judgeStudy(record, new Map(), overrides);
  const [fit, anova] = rows.filter(({ criterion }) => criterion === 'result-table');
  expect(fit).toMatchObject({ verdict: 'in', override: { rule: 'unknown', reviewer: 'me' } });
  expect(anova).toMatchObject({ table: 'silver-anova', verdict: 'unknown' });
  expect(anova).not.toHaveProperty('override');
});
