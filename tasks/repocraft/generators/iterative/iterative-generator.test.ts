import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import type { Question } from '../../../../src/ports/model.js';
import type { StageContext } from '../../../../src/suite/stage.js';
import type { MadeCandidate } from '../generator.js';
import { iterativeGenerator } from './iterative-generator.js';

/** A model that says one thing after the other, or fails, and then has reached its limit. */
async function made(
  answers: (string | DomainFailure)[],
  options: object = {},
): Promise<{ end: MadeCandidate; asked: Question[] }> {
  const asked: Question[] = [];
  const context = {
    ...{ suiteFolder: join(import.meta.dirname, '..', '..'), scope: 'textkit', heartbeat: () => undefined },
    system: { options },
    ask: (question: Question) => {
      asked.push(question);
      const text = answers[asked.length - 1] ?? new DomainFailure('system.limit-reached', 'enough');
      if (typeof text !== 'string') return Promise.reject(text);
      return Promise.resolve({ text, finishReason: 'stop', usage: null, providerRequestId: null });
    },
  } as unknown as StageContext;
  if (!('make' in iterativeGenerator)) throw new Error('it is made in one step');
  return { end: await iterativeGenerator.make(context, 'textkit'), asked };
}

const file = (path: string, text: string): string => `### ${path}\n\n\`\`\`python\n${text}\n\`\`\`\n`;
const treeOf = ({ content }: MadeCandidate): Record<string, string> =>
  Object.fromEntries(
    [...(content as Map<string, Uint8Array>)].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]),
  );

it('shows each round what is there, and takes files whole', async () => {
  const { end, asked } = await made([file('p/a.py', 'x = 1'), file('p/b.py', 'y = 1') + file('p/a.py', 'x = 2')]);
  expect(treeOf(end)).toEqual({ 'p/a.py': 'x = 2\n', 'p/b.py': 'y = 1\n' });
  const texts = asked.map(({ messages }) => messages.at(-1)?.content ?? '');
  expect(texts[0]).toContain('Round 1 of 30. The repository "ProseMeter":');
  expect(texts[0]).toContain('(It is empty.)');
  expect(texts[2]).toContain('### p/a.py\n\n```\nx = 2\n```\n\n### p/b.py');
  expect(asked.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3]);
});

it('keeps what is there when its own limit is reached', async () => {
  const { end } = await made([file('p/a.py', 'x = 1')]);
  expect(treeOf(end)).toEqual({ 'p/a.py': 'x = 1\n' });
  expect(end.note).toBe('round 1: 1 files; round 2: its limit is reached');
});

it('keeps what is there when the tree no longer fits the model, and passes over a refusal', async () => {
  const refused = new DomainFailure('model.content-policy', 'no');
  const tooLong = new DomainFailure('model.context-length', 'too long');
  const { end } = await made([file('p/a.py', 'x = 1'), refused, tooLong]);
  expect(treeOf(end)).toEqual({ 'p/a.py': 'x = 1\n' });
  expect(end.note).toBe(
    'round 1: 1 files; round 2: refused by the provider; round 3: the tree is too large for the model',
  );
  await expect(made([tooLong])).rejects.toBe(tooLong);
});

it('passes over answers that leave the tree, clash or change nothing, and ends after so many rounds in vain', async () => {
  const first = file('p/a.py', 'x = 1');
  const { end, asked } = await made([first, file('../a.py', 'x'), file('p/a.py/b.py', 'x'), first, 'never asked'], {
    patience: 3,
  });
  expect(treeOf(end)).toEqual({ 'p/a.py': 'x = 1\n' });
  expect(asked).toHaveLength(4);
  expect(end.note?.split('; ').slice(1)).toEqual([
    expect.stringContaining('leaves the tree'),
    'round 3: p/a.py would be a file and a folder at once',
    'round 4: the files as they were',
  ]);
});

it('ends with its rounds', async () => {
  const answers = Array.from({ length: 4 }, (_, n) => file(`p/m${n}.py`, 'x = 1'));
  expect((await made(answers, { iterations: 2 })).asked).toHaveLength(2);
});
