import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '../../src/contract/status.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { DocumentBody } from '../../src/report/documents/documents.js';
import type { FullReport } from '../../src/report/full-report.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';

/** Campaigns that take answers of others over, as a user sees them: the built command line on a stack of its own. */
let project: CliProject;
let model: ScriptedModelServer;

/** 25 tokens at 100 dollars a million. */
const CALL_USD = 0.0025;
const TASKS = 4;

beforeAll(async () => {
  [project, model] = await Promise.all([
    createCliProject(),
    startScriptedModelServer({
      rules: {
        // Half of the tasks are answered wrong, by the text of the task.
        rules: [
          {
            match: { regex: '.*:\\n(.*)', share: 0.5 },
            template: 'Answer: {{1}}',
            usage: { input: 20, output: 5 },
          },
        ],
        default: { answer: 'no', usage: { input: 20, output: 5 } },
      },
    }),
  ]);
  await project.json(['up']);
});

afterAll(async () => {
  await project?.close();
  await model?.close();
});

async function write(name: string, repeats: number, more: string, ofModel = ''): Promise<void> {
  const text = [
    `name: ${name}\nsuite: echo\ndataset: { tasks: ${TASKS} }\nrepeats: ${repeats}\n${more}`,
    `models: { m: { name: m, base_url: "${model.url}", price: { input: 100, output: 100 }, max_output_tokens: 10${ofModel} } }`,
    'systems: [{ id: asked, generator: model, model: m }]\n',
  ].join('\n');
  await writeFile(join(project.folder, `${name}.yaml`), text);
}

async function dryRun(...[name, ...file]: Parameters<typeof write>): Promise<DocumentBody<'planned-campaign'>> {
  await write(name, ...file);
  return project.json<DocumentBody<'planned-campaign'>>(['run', `${name}.yaml`, '--dry-run']);
}

async function ran(name: string, repeats: number, more = ''): Promise<{ id: string; status: StatusReport }> {
  await write(name, repeats, more);
  const { code, stderr } = await project.durabench('run', `${name}.yaml`, '--yes');
  expect(code, stderr).toBe(0);
  const status = await project.json<StatusReport>(['status', 'latest']);
  return { id: status.campaign.id, status };
}

test('are answered from the record of others, repeat by repeat, at no cost, and say so wherever they are shown', async () => {
  const first = await ran('first', 2);
  expect(model.requests).toHaveLength(2 * TASKS);
  expect(first.status.spend).toMatchObject({ calls: 2 * TASKS, reused_calls: 0, saved_usd: 0 });

  // Not asked to, it asks.
  const plain = await ran('plain', 1);
  expect(model.requests).toHaveLength(3 * TASKS);
  expect(plain.status.spend).toMatchObject({ calls: TASKS, reused_calls: 0 });

  // Said before: of the third repeat nobody has an answer, and of a changed model none at all.
  const planned = await dryRun('planned', 3, 'reuse_answers: true\n');
  expect(planned.forecast).toMatchObject({ reused: { trials: 2 * TASKS, candidates: 0 } });
  expect(planned.forecast!.all).toMatchObject({ calls: { low: TASKS, high: TASKS } });
  expect(planned.forecast!.all.usd!.high).toBeCloseTo(TASKS * CALL_USD, 9);
  expect((await dryRun('paying', 3, '')).forecast).toMatchObject({
    ...{ reused: { trials: 0, candidates: 0 }, all: { calls: { low: 3 * TASKS, high: 3 * TASKS } } },
  });
  const warmer = await dryRun('warmer', 3, 'reuse_answers: true\n', ', temperature: 1');
  expect(warmer.forecast).toMatchObject({ reused: { trials: 0 }, all: { calls: { high: 3 * TASKS } } });

  // Of the first repeat there are two answers by now: one is taken, and the third repeat has none.
  const { id, status } = await ran('thrifty', 3, 'reuse_answers: true\nbudget: { usd: 0.02 }\n');
  expect(model.requests).toHaveLength(4 * TASKS);
  expect(status.trials).toMatchObject({ done: 3 * TASKS, errored: 0, not_run: 0 });
  expect(status.spend).toMatchObject({ calls: TASKS, tokens: 25 * TASKS, reused_calls: 2 * TASKS, repeated_calls: 0 });
  expect(status.spend.usd).toBeCloseTo(TASKS * CALL_USD, 9);
  expect(status.spend.saved_usd).toBeCloseTo(2 * TASKS * CALL_USD, 9);

  const report = JSON.parse((await project.durabench('report', id, '--format', 'json')).stdout) as FullReport;
  expect(report.provenance.spec).toMatchObject({ reuseAnswers: true });
  const [usage] = report.usage.calls.filter(({ purpose }) => purpose === 'generate');
  expect(report.usage.calls.reduce((sum, row) => sum + row.reused_calls, 0)).toBe(2 * TASKS);
  expect(usage).toMatchObject({ model: 'm', stage: 'generate' });
  for (const { repeat, reused_calls: reused, usd } of report.trial_rows)
    expect([reused, usd > 0]).toEqual(repeat < 3 ? [1, false] : [0, true]);
  // Equal answers, equal verdicts.
  const verdicts = (rows: FullReport['trial_rows']): string[] =>
    rows.map(({ task, repeat, outcome }) => `${task} ${repeat} ${outcome}`).sort();
  const before = JSON.parse((await project.durabench('report', first.id, '--format', 'json')).stdout) as FullReport;
  expect(verdicts(report.trial_rows.filter(({ repeat }) => repeat < 3))).toEqual(verdicts(before.trial_rows));

  const markdown = await readFile(status.report.path!, 'utf8');
  expect(markdown).toContain(`${2 * TASKS} answers of other campaigns reused, $0.0200 saved`);
  expect(markdown).toContain('| answers of other campaigns | reused |');
  expect(markdown).toMatch(/\| asked \| generate \| generate \| m \| 4 \| 100 \| \$0\.0100 \| 8 \| \$0\.0200 \|/);
  const [trial] = report.trial_rows;
  const shown = await project.json<DocumentBody<'trial'>>(['show', trial!.id]);
  expect(shown.steps.find(({ stage }) => stage === 'generate')?.calls).toEqual({ answered: 1, replayed: 0, reused: 1 });
  expect((await project.durabench('show', trial!.id)).stdout).toContain('1 of 1 model calls reused');
  const { stdout: csv } = await project.durabench('export', id, '--format', 'csv');
  expect(csv.split('\n')[0]).toContain(',tokens,reused_calls');
  const { stdout: compared } = await project.durabench('compare', first.id, id);
  expect(compared).toContain(`${id} reused ${2 * TASKS} answers of other campaigns`);

  // A campaign whose answers were taken may go: they are the other one's own by now, and are passed on once.
  await project.json(['delete', first.id, '--yes']);
  await project.json(['delete', plain.id, '--yes']);
  const last = await ran('last', 3, 'reuse_answers: true\nbudget: { usd: 0 }\n');
  expect(model.requests).toHaveLength(4 * TASKS);
  expect(last.status.spend).toMatchObject({ usd: 0, calls: 0, reused_calls: 3 * TASKS });
  expect(last.status.trials).toMatchObject({ done: 3 * TASKS, errored: 0, not_run: 0 });
});
