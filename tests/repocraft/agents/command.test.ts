import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileBlobs } from '../../../src/adapters/blobs/file-blobs.js';
import type { StatusReport } from '../../../src/contract/status.js';
import { ANSWERS, askingProgram, commanding, writing } from '../../fixtures/agents/asking-program.js';
import { killService } from '../../fixtures/cli/kill-service.js';
import { waitUntil } from '../../fixtures/wait-until.js';
import { openTextkitProject, TEXTKIT, type TextkitProject } from '../../fixtures/zerorepo/textkit-project.js';
import { scaled } from '../../vitest/yardstick.js';

/** Programs that we did not write, as systems: whole campaigns, with the scripted model behind the door. */

let textkit: TextkitProject;

beforeAll(async () => {
  const tokenizing = await readFile(join(TEXTKIT, 'src', 'textkit', 'tokenizing.py'), 'utf8');
  const submits = { toolCall: { name: 'bash', arguments: '{"command":"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}' } };
  textkit = await openTextkitProject({
    mini: commanding(
      [writing('repo/prose/tokenizing.py', tokenizing), 'touch repo/prose/__init__.py && ls repo'],
      submits,
    ),
    calm: [ANSWERS],
    // Its tenth answer takes so long that the worker is killed before it comes; asked again it comes at once.
    slow: [{ ...ANSWERS, name: 'held', match: { regex: 'question (10)\\.', attempt: 1 }, delayMs: 30_000 }, ANSWERS],
  });
}, scaled(1_200_000));

afterAll(async () => textkit?.close());

const program = (id: string, model: string, options: object): object => ({
  ...{ id, generator: 'command', model, vote: { voter: 'heuristic' } },
  options: { image: 'base', command: askingProgram(12), ...options },
});

describe('a released agent program', () => {
  test('in its image of locked packages writes a library, of which the verdicts are known beforehand', async () => {
    await textkit.project.json(['images', 'build', 'mini-swe-agent']);
    const report = await textkit.run({
      name: 'mini',
      dataset: {
        projects: ['textkit'],
        tasks: ['textkit-tokenizing-split_words-001', 'textkit-similarity-jaro_similarity-001'],
      },
      systems: [program('mini', 'mini', { image: 'mini-swe-agent', command: ['agent'] })],
    });
    const outcomes = report.trial_rows.map(({ task, outcome }) => [task.split('-')[2], outcome]);
    expect(Object.fromEntries(outcomes)).toEqual({ split_words: 'passed', jaro_similarity: 'failed' });
    expect(report.spend).toMatchObject({ calls: 3, repeated_calls: 0, replayed_calls: 0 });
    const { steps } = await textkit.project.json<{ steps: { evidence: { name: string; sha256: string }[] }[] }>([
      ...['show', `${report.campaign.id}/mini/textkit/1`],
    ]);
    const log = steps.flatMap(({ evidence }) => evidence).find(({ name }) => name === 'program.log');
    const blobs = createFileBlobs({ folder: join(textkit.project.stateDir, 'blobs') });
    const text = (await blobs.get(log?.sha256 ?? '')).toString('utf8');
    expect(text).toContain('ProseMeter');
    // The name of the library it is to write, and the tests, are nowhere in what it sees.
    expect(text.replace(/def \w+|"""[\s\S]*?"""/g, '')).not.toMatch(/test_tokenizing|durabench\/runner/);
  });
});

describe('a program whose worker is killed in its tenth question', () => {
  test(
    'begins again, is answered from the record nine times, and leaves the same candidate',
    async () => {
      const { project, model, record } = textkit;
      const calm = await textkit.run({ name: 'calm', systems: [program('calm', 'calm', {})] });
      const id = await textkit.begin({ name: 'slow', systems: [program('slow', 'slow', {})] });
      const isHeld = (): boolean => model.requests.some(({ rule }) => rule === 'held');
      expect(await waitUntil(isHeld)).toBe(true);
      await killService(project.stateDir, 'worker');
      expect(
        await waitUntil(async () => (await record.status(id)) === 'completed', { timeoutMs: scaled(300_000) }),
      ).toBe(true);
      const { spend } = await project.json<StatusReport>(['status', id]);
      expect(spend).toMatchObject({ calls: 12, repeated_calls: 1, replayed_calls: 9 });
      const candidates = await Promise.all([record.candidates(calm.campaign.id), record.candidates(id)]);
      const [[undisturbed], [killed]] = candidates;
      expect(killed?.sha256).toBe(undisturbed?.sha256);
      const asked = model.requests.filter(({ model: name }) => name === 'slow');
      expect(asked).toHaveLength(13);
      const { stdout } = await project.durabench('show', `${id}/slow/textkit/1`);
      expect(stdout).toMatch(/9 of 12 model calls replayed/);
      expect(await textkit.markdown(id)).toContain('answered from the record, not paid again: 9');
    },
    scaled(600_000),
  );
});

describe('a program that cannot be one', () => {
  test('is told before anything is spent, or ends its candidate as nobody’s failure', async () => {
    const { record, project } = textkit;
    const absent = program('absent', 'calm', { command: ['no-such-agent'] });
    const id = await textkit.begin({ name: 'absent', systems: [absent] });
    expect(await waitUntil(async () => (await record.status(id)) === 'completed')).toBe(true);
    const [trial] = await record.trials(id);
    expect(trial).toMatchObject({ outcome: 'errored', reason: 'candidate.missing' });
    const { generation } = await project.json<{ generation: { failure: { blame: string; message: string } } }>([
      ...['show', `${id}/absent/textkit/1`],
    ]);
    expect(generation.failure.blame).toBe('harness');
    expect(generation.failure.message).toContain('the image base cannot run no-such-agent');
    expect(await record.sends(id)).toEqual([]);
    const begin = textkit.begin({ name: 'unknown', systems: [program('unknown', 'calm', { image: 'no-such-image' })] });
    await expect(begin).rejects.toThrow(/there is no image recipe "no-such-image"/);
    const modelless = { ...program('modelless', 'calm', {}), model: undefined };
    const without = textkit.begin({ name: 'modelless', systems: [modelless] });
    await expect(without).rejects.toThrow(/generator "command" needs a model/);
  });

  test('is told to end at its seconds, however it hides from signals; what is there then is graded', async () => {
    const stubborn = 'mkdir -p repo/p; echo "x = 1" > repo/p/__init__.py; trap "" TERM; while :; do sleep 1; done';
    const report = await textkit.run({
      name: 'stubborn',
      systems: [program('stubborn', 'calm', { command: ['sh', '-c', stubborn], wall_seconds: 2 })],
    });
    expect(report.trial_rows).toMatchObject([{ outcome: 'failed', blame: 'model' }]);
    const [candidate] = await textkit.record.candidates(report.campaign.id);
    expect(candidate).toMatchObject({ system: 'stubborn' });
  });
});
