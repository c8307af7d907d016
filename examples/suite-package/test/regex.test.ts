import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { createBench, createFakeSandbox, runTrial, systemSpec, type FakeProgram } from 'durabench/testing';
import { patternOf } from '../src/generate.js';
import { plans } from '../src/plans.js';
import { suite } from '../src/suite.js';

// Trials of this suite without Temporal, Postgres or Docker: its own plan and stages, with its player for a model.

const { tasks } = await suite.dataset.select({}, 0, suite.folder);
const player = await suite.scriptedPlayer!(undefined);

/** The script of the suite as it is, outside of a sandbox. */
const python3: FakeProgram = ({ command: [, script = ''], files, stdin, signal }) => {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', String(files.get(script))], { input: stdin });
  signal.throwIfAborted();
  return { exitCode: status ?? 1, stdout, stderr };
};

function graded(taskId: string, plays: string) {
  const bench = createBench({
    suite,
    plans,
    sandbox: createFakeSandbox({ programs: { python3 }, images: ['base'] }),
    ask: async ({ messages }) => {
      const text = player.answer(messages, { as: plays });
      return { text, finishReason: 'stop', usage: null, providerRequestId: null };
    },
  });
  const task = tasks.find(({ id }) => id === taskId);
  assert.ok(task);
  return runTrial(bench, { system: systemSpec({ id: 'scripted', generator: 'model', model: 'scripted' }), task });
}

test('every reference passes', async () => {
  for (const { id } of tasks) {
    const { verdict } = await graded(id, 'competent');
    assert.deepEqual(verdict, { passed: true, reasons: [], metrics: { matched: 1, rejected: 1 } }, id);
  }
});

test('a pattern that matches too much fails for that', async () => {
  const { verdict } = await graded('byte', 'too-wide');
  assert.deepEqual(verdict, { passed: false, reasons: ['overmatched'], metrics: { matched: 1, rejected: 0 } });
});

test('what Python does not accept is graded, and so is an answer without a pattern', async () => {
  assert.deepEqual((await graded('byte', 'malformed')).verdict.reasons, ['invalid']);
  const { verdict, skipped } = await graded('byte', 'silent');
  assert.deepEqual(verdict.reasons, ['no-pattern']);
  assert.deepEqual(skipped, [{ stage: 'execute', reason: 'the answer has no pattern' }]);
});

test('a pattern is the only line of the first block', () => {
  assert.equal(patternOf('Of course:\n```regex\n[0-9]+\n```\nand\n```\nb\n```'), '[0-9]+');
  assert.equal(patternOf('```\none\ntwo\n```'), null);
  assert.equal(patternOf('`[0-9]+`'), null);
});
