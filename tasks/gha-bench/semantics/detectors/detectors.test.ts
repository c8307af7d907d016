import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { readSemantics } from '../model/read-semantics.js';
import { DETECTORS } from './detectors.js';

const FOLDER = join(import.meta.dirname, '..', 'fixtures');

const anything = z.record(z.string(), z.unknown());

/** What a case leaves out is as in BASE; `steps` are those of one job, `files` are further files. */
const caseSchema = z.strictObject({
  is: z.enum(['correct', 'wrong', 'absent']),
  /** In a problem that is found. */
  why: z.string().optional(),
  facts: anything.optional(),
  on: z.unknown().optional(),
  top: anything.optional(),
  job: anything.optional(),
  steps: z.array(z.unknown()).optional(),
  jobs: z.record(z.string(), anything).optional(),
  files: z.record(z.string(), z.unknown()).optional(),
});

const fixtureSchema = z.strictObject({
  facts: anything.default({}),
  roles: anything.default({}),
  repo: z.array(z.string()).default([]),
  actions: anything.default({}),
  cases: z.array(caseSchema),
});

type Case = z.infer<typeof caseSchema>;

const fixtures = readdirSync(FOLDER).map((file) => {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  return { feature: file.replace(/\.yaml$/, ''), ...fixtureSchema.parse(parse(text)) };
});

function filesOf({ on = 'push', top = {}, job = {}, steps, jobs, files = {} }: Case): Record<string, string> {
  const usual = { 'runs-on': 'ubuntu-latest', steps: steps ?? [{ run: 'make' }], ...job };
  const all = Object.entries(jobs ?? { build: usual }).map(([id, each]) => {
    return [id, 'uses' in each ? each : { 'runs-on': 'ubuntu-latest', steps: [{ run: 'make' }], ...each }] as const;
  });
  const main = { on, ...top, jobs: Object.fromEntries(all) };
  const more = Object.entries(files).map(([path, value]) => [
    path,
    typeof value === 'string' ? value : stringify(value),
  ]);
  return { '.github/workflows/w.yml': stringify(main), ...(Object.fromEntries(more) as Record<string, string>) };
}

test('every detector has two fixtures that are correct, two that are wrong and one without the feature', () => {
  const counts = [...DETECTORS.keys()].map((feature) => {
    const cases = fixtures.find((each) => each.feature === feature)?.cases ?? [];
    const count = (is: Case['is']): number => cases.filter((each) => each.is === is).length;
    return { feature, enough: count('correct') >= 2 && count('wrong') >= 2 && count('absent') >= 1 };
  });
  expect(counts.filter(({ enough }) => !enough)).toEqual([]);
  expect(fixtures.filter(({ feature }) => !DETECTORS.has(feature))).toEqual([]);
  expect(fixtures.flatMap(({ cases }) => cases).length).toBeGreaterThanOrEqual(300);
});

const rows = fixtures.flatMap(({ feature, cases, ...fixture }) =>
  cases.map((each, at) => ({ title: `${feature} ${at + 1} is ${each.is}`, feature, fixture, each })),
);

test.each(rows)('$title', ({ feature, fixture, each }) => {
  const files = Object.fromEntries(fixture.repo.map((path) => [path, null]));
  const facts = { files, roles: fixture.roles as never, actions: fixture.actions as never };
  const semantics = readSemantics(filesOf(each), facts);
  const detection = DETECTORS.get(feature)?.detect(semantics, each.facts ?? fixture.facts);
  const messages = detection?.problems.map(({ message }) => message);
  const seen = detection?.present ? (detection.correct ? 'correct' : 'wrong') : 'absent';
  expect({ seen, messages: seen === each.is ? [] : messages }).toEqual({ seen: each.is, messages: [] });
  if (each.why !== undefined) expect(messages?.join('\n')).toContain(each.why);
});
