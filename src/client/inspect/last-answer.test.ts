import { expect, it } from 'vitest';
import type { Connection } from '../connection.js';
import { lastAnswer } from './last-answer.js';

const call = (stage: string, sha256: string | null) => ({
  ...{ stage, step: '', purpose: stage, model: 'm', request: { sha256: 'gone', sizeBytes: 1 } },
  response: sha256 === null ? null : { sha256, sizeBytes: 50 },
});

/** The text of the last answer of a trial with these calls. */
async function said(...calls: object[]): Promise<string | null> {
  const answer = (sha256: string): string => JSON.stringify({ text: `says ${sha256}`, finishReason: 'stop' });
  const connection = {
    records: { calls: () => Promise.resolve({ calls, total: calls.length }) },
    blobs: {
      has: (sha256: string) => Promise.resolve(sha256 !== 'gone'),
      get: (sha256: string) => Promise.resolve(Buffer.from(answer(sha256))),
    },
  } as unknown as Connection;
  const last = await lastAnswer(connection, 'c/t/s/1');
  return last === null ? null : last.answered.map(({ text }) => text).join();
}

it('is what the system said last, not what its judges said of it', async () => {
  expect(await said(call('generate', '1'), call('generate', '2'), call('vote', '3'))).toBe('says 2');
});

it('is what a judge said where the system asked no model in the trial', async () => {
  expect(await said(call('vote', '1'), call('vote', '2'))).toBe('says 2');
});

it('is the last that was answered; none where none was, and without its words where they are kept no more', async () => {
  expect(await said(call('generate', '1'), call('generate', null))).toBe('says 1');
  expect(await said(call('generate', null))).toBeNull();
  expect(await said()).toBeNull();
  expect(await said(call('vote', 'gone'))).toBe('');
});
