import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contract/json.js';
import type { Verdict } from '../../src/contract/verdict.js';
import { readEnvironment } from '../../src/config/env.js';
import { runTrial, systemSpec } from '../../src/fakes/suite-bench.js';
import type { ModelAnswer, Question } from '../../src/ports/model.js';
import { readJsonBlob } from '../../src/suite-kit/json-blobs.js';
import { artisanDataset } from '../../tasks/artisan/dataset/artisan-dataset.js';
import type { ArtisanTask } from '../../tasks/artisan/dataset/artisan-task.js';
import { openArtisanBench, type ArtisanBench } from '../fixtures/artisan/artisan-bench.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';

// Agents in real containers: what they are told of what they submit, and what then counts.

let opened: ArtisanBench;
let task: ArtisanTask;

beforeAll(async () => {
  await ensureImages(readEnvironment().cacheDir, 'mini-swe-agent', 'artisan-agent');
  opened = await openArtisanBench();
  await artisanDataset.fetch({ projects: ['silver'], verify: false }, opened.tools);
  task = await readJsonBlob<ArtisanTask>(opened.bench.blobs, (await summary()).sha256);
});

afterAll(async () => opened?.close());

async function summary() {
  const { tasks } = await artisanDataset.select({ tasks: ['silver-anova'] }, 0, opened.bench.suiteFolder);
  return tasks[0] ?? Promise.reject(new Error('silver-anova is not there'));
}

type Said = Pick<ModelAnswer, 'text'> & Partial<ModelAnswer>;

const call = (name: string, given: object = {}): Said => ({
  text: `I call ${name}.`,
  raw: { tool_calls: [{ id: 'x', type: 'function', function: { name, arguments: JSON.stringify(given) } }] },
});
const SUBMIT = call('submit');
const bash = (command: string): Said => call('bash', { command });
const leaves = (script: string): Said => bash(`cat > repro.sh <<'END_OF_SCRIPT'\n${script}\nEND_OF_SCRIPT`);

/** A trial whose model says one thing after the other. @returns the verdict, and what the model was asked in each turn */
async function worked(
  said: readonly Said[],
  { generator = 'agent', ...options }: JsonObject & { generator?: string } = {},
): Promise<{ verdict: Verdict; told: string[]; asked: Question[] }> {
  const asked: Question[] = [];
  const ask = (question: Question): Promise<ModelAnswer> => {
    asked.push(question);
    const answer = said[asked.length - 1] ?? { text: 'I have nothing more to say.' };
    return Promise.resolve({ finishReason: 'stop', usage: null, providerRequestId: null, ...answer });
  };
  const system = systemSpec({
    id: 'agent',
    generator,
    model: 'm',
    options: { turns: Math.max(1, said.length), ...options },
  });
  const { verdict, steps } = await runTrial({ ...opened.bench, ask }, { system, task: await summary() });
  const turns = steps.flatMap(({ evidence }) => evidence).filter(({ name }) => /^turn-\d+\.json$/.test(name));
  const records = await Promise.all(
    turns.map(({ sha256 }) => readJsonBlob<{ observation: string }>(opened.bench.blobs, sha256)),
  );
  return { verdict, asked, told: records.map(({ observation }) => observation) };
}

/** Three of six hidden cells are wrong: of one at least it is told. */
const wrong = (): string => task.scripts.reference.replace('(residual**2).sum()', '1.01 * (residual**2).sum()');
const copy = (): string => task.scripts.copies['result-file'] ?? '';

describe('an agent that submits', () => {
  test('a wrong table and then the right one is told which cells are right, and ends when it is accepted', async () => {
    const { verdict, told } = await worked([leaves(wrong()), SUBMIT, leaves(task.scripts.reference), SUBMIT, SUBMIT]);
    expect(verdict).toMatchObject({ passed: true, metrics: { full: 1, turns: 4, submissions: 2 } });
    // Of two of the six hidden cells nothing is ever told.
    expect(told[1]).toMatch(/^Submission 1 of 5\./);
    expect(told[3]).toBe('Submission 2 of 5. Accepted.');
    expect(verdict.metrics.revealed).toBe(4);
    for (const value of Object.values(task.printed).flatMap((row) => Object.values(row)))
      if (value.length > 4) expect(told.join('\n')).not.toContain(value);
  });

  test('a copy is told that it is one, as often as it may submit; the last one counts', async () => {
    const { verdict, told } = await worked([leaves(copy()), SUBMIT, SUBMIT, SUBMIT], { submissions: 2 });
    expect(told[1]).toMatch(/^Submission 1 of 2\. The table is right, and comes from a file that holds results/);
    expect(told[2]).toMatch(/That was the last one; it counts as it is\.$/);
    expect(verdict).toMatchObject({ reasons: ['copied.result-file'], metrics: { turns: 3, submissions: 2 } });
  });

  test('a copy is accepted where nobody is told of the method, and is one still', async () => {
    const { verdict, told } = await worked([leaves(copy()), SUBMIT, SUBMIT], { method_feedback: false });
    expect(told[1]).toBe('Submission 1 of 5. Accepted.');
    expect(verdict).toMatchObject({ reasons: ['copied.result-file'], metrics: { turns: 2, submissions: 1 } });
  });

  test('ends with the first where nothing is told', async () => {
    const { verdict, told } = await worked([leaves(wrong()), SUBMIT, SUBMIT], { feedback: 'none' });
    expect(told[1]).toBe('Submitted.');
    expect(verdict).toMatchObject({ reasons: ['mismatch.cells'], metrics: { submissions: 1, revealed: 0, turns: 2 } });
  });

  test('nothing has spent its turn, and no submission', async () => {
    const { verdict, told } = await worked([SUBMIT, bash('ls'), SUBMIT, leaves(copy())]);
    expect([told[0], told[2]]).toEqual(
      Array.from({ length: 2 }, () => 'Nothing was submitted: there is no repro.sh in the folder.'),
    );
    // What was never submitted counts where it was left.
    expect(verdict).toMatchObject({ reasons: ['copied.result-file'], metrics: { submissions: 0, turns: 4 } });
  });

  test('and then writes something else is judged by what it submitted', async () => {
    const { verdict } = await worked([leaves(wrong()), SUBMIT, leaves(task.scripts.reference)]);
    expect(verdict).toMatchObject({ passed: false, reasons: ['mismatch.cells'], metrics: { submissions: 1 } });
  });
});

describe('the ablations', () => {
  const names = ({ asked }: { asked: Question[] }): string[] =>
    ((asked[0]?.body?.tools ?? []) as { function: { name: string } }[]).map(({ function: { name } }) => name);

  test('tools: all four, or bash and submit', async () => {
    expect(names(await worked([SUBMIT]))).toEqual(['bash', 'get', 'format', 'submit']);
    expect(names(await worked([SUBMIT], { tools: 'bash' }))).toEqual(['bash', 'submit']);
  });

  test('get and format do what they say', async () => {
    const values = { 'Within Instrument': { sum_of_squares: 1.5e-9 } };
    const { told, verdict } = await worked([call('get'), call('format', { values })]);
    expect(verdict.metrics).toMatchObject({ turns: 2, formatted: 1, workSeconds: 0 });
    expect(told[0]).toContain('/artifact/data/AtmWtAg.dat');
    expect(told[1]).toMatch(/\| Within Instrument \| {2}\| 1\.50000000000000e-9 \|/);
  });
});

describe('a program of somebody’s own', () => {
  test('a released agent program writes the script, its model behind a door', async () => {
    const script = `cat > repro.sh <<'END_OF_SCRIPT'\n${task.scripts.reference}\nEND_OF_SCRIPT\nbash repro.sh`;
    const { verdict, asked } = await worked([bash(script), bash('echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT')], {
      generator: 'command',
      image: 'artisan-agent',
      command: ['agent'],
    });
    expect(verdict).toMatchObject({ passed: true, metrics: { full: 1, turns: null, submissions: null } });
    const messages = JSON.stringify(asked[1]?.body?.messages);
    expect(messages).toContain('atomic weight of a reference sample of silver');
    // It can try its script: the container has the packages and the files of the study.
    expect(messages).toMatch(/<returncode>0<\/returncode>[^]*Within Instrument/);
  });

  test('one that leaves nothing has no script', async () => {
    const { verdict } = await worked([], { generator: 'command', image: 'artisan-agent', command: ['true'] });
    expect(verdict).toMatchObject({ reasons: ['static.empty'] });
  });
});
