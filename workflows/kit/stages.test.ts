import { expect, test } from 'vitest';
import { echoManifest } from '../../tasks/echo/suite.js';
import { callStage } from './stages.js';

test('an input is measured in bytes, as a history is: short text of many bytes is too much', async () => {
  const caller = { manifest: echoManifest, owner: { kind: 'trial', id: 'c/t/s/1' } as const, epoch: 1, n: 1 };
  await expect(callStage(caller, 'score', { input: 'ä'.repeat(4000) })).rejects.toMatchObject({
    type: 'harness.bug',
    message: 'the input of score has 8002 bytes; at most 4096: hand on ids, hashes and counts',
  });
});
