import { expect, it } from 'vitest';
import { createFakeSandbox } from '../../../../src/fakes/fake-sandbox.js';
import { systemSpec } from '../../../../src/fakes/suite-bench.js';
import type { Question } from '../../../../src/ports/model.js';
import type { StageContext } from '../../../../src/suite/stage.js';
import { commandGenerator } from './command-generator.js';

it.each([
  ['the model of the system', { model: 'big' }, 'big'],
  ['the model that the system names for this purpose', { model: 'big', purposes: { generate: 'small' } }, 'small'],
  ['a model for this purpose alone', { purposes: { generate: 'small', vote: 'big' } }, 'small'],
])('has %s behind its door', async (_what, parts, expected) => {
  const questions: Question[] = [];
  const sandbox = createFakeSandbox({
    images: ['base'],
    programs: {
      agent: async ({ doors, env }) => {
        const response = await fetch(`http://127.0.0.1:${doors[4180]}/v1/chat/completions`, {
          method: 'POST',
          body: JSON.stringify({ model: env['DURABENCH_MODEL'], messages: [{ role: 'user', content: 'hello' }] }),
        });
        return { exitCode: response.status === 200 ? 0 : 1, files: { 'repo/lib/__init__.py': '' } };
      },
    },
  });
  const options = { image: 'base', command: ['agent'] };
  const context = {
    ...{ sandbox, scope: 'textkit', campaign: { id: 'c' }, owner: { kind: 'generation', id: 'c/s/p/1' } },
    ...{ heartbeat: () => undefined, attach: () => Promise.resolve({}), signal: new AbortController().signal },
    system: systemSpec({ id: 's', generator: 'command', options, ...parts }),
    ask: (question: Question) => {
      questions.push(question);
      return Promise.resolve({ text: 'hello', finishReason: 'stop', usage: null, providerRequestId: null });
    },
  } as unknown as StageContext;
  if (!('make' in commandGenerator)) throw new Error('it is made in one step');
  const { note } = await commandGenerator.make(context, 'textkit');
  expect(questions.map(({ model }) => model)).toEqual([expected]);
  expect(note).toContain('1 new calls');
});
