import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { FullReport, TrialReport } from '../../src/report/full-report.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';

// A library that passes every test, under other names and in other words, before voters that count words: what they refuse is
// in the candidate, and a second look finds it.

let project: CliProject;
let rows: TrialReport[];

beforeAll(async () => {
  project = await createCliProject();
  await Promise.all([project.json(['up']), project.json(['images', 'build', 'base'])]);
  const campaign = {
    ...{ name: 'second-look', suite: 'repocraft', seed: 3, dataset: { projects: ['textkit'], limit: 8 } },
    judge: { second_look: true, vote: { voter: 'heuristic' } },
    systems: [{ id: 'reworded', generator: 'derived', derive: { kind: 'reworded', seed: 3 } }],
  };
  await writeFile(join(project.folder, 'campaign.yaml'), stringify(campaign));
  const { stdout, stderr } = await project.durabench('run', 'campaign.yaml', '--yes', '--json');
  const [first = ''] = stdout.split('\n');
  if (first === '') throw new Error(stderr);
  const { campaign_id: id } = JSON.parse(first) as { campaign_id: string };
  const report = await readFile(join(project.stateDir, 'reports', id, 'report.json'), 'utf8');
  rows = (JSON.parse(report) as FullReport).trial_rows;
});

afterAll(async () => {
  await project?.close();
});

test('what voters refuse and the test passes on is the voters’ failure, and no pass', () => {
  expect(rows).toHaveLength(8);
  const failed = rows.filter(({ outcome }) => outcome === 'failed');
  expect(failed.length).toBeGreaterThan(0);
  for (const { reason, metrics } of failed) {
    expect(reason).toMatch(/^vote-/);
    expect(metrics).toMatchObject({ passed: 0, voted: 0, second_look: 1, 'class.validation': 1 });
  }
  // Nobody looks again at what passed.
  for (const { outcome, metrics } of rows) if (outcome === 'passed') expect(metrics).not.toHaveProperty('second_look');
});

test('show TRIAL names the match on which the test passes, beside the votes that refused it', async () => {
  const { id = '' } = rows.find(({ outcome }) => outcome === 'failed') ?? {};
  const { stdout } = await project.durabench('show', id);
  expect(stdout).toMatch(/^because {6}match 1 .*; the test passes on match \d \S+, which was not accepted$/m);
  expect(stdout).toMatch(/^class {8}class\.validation: durabench explain class\.validation$/m);
  expect(stdout).toMatch(/^ {2}execute look-\d, /m);
});
