import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEnvironment } from '../config/env.js';
import { startStack } from './stack.js';

it('a worker that would not begin keeps the whole stack from being started', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'start-problems-'));
  try {
    const environment = readEnvironment({ DURABENCH_HOME: join(folder, 'state'), DURABENCH_MODEL_SLOTS: '0' }, folder);
    await expect(startStack({ environment })).rejects.toMatchObject({
      kind: 'usage',
      problems: [{ message: 'DURABENCH_MODEL_SLOTS is "0".', expected: 'a whole number from 1 to 9999' }],
    });
    expect(existsSync(environment.stateDir)).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});
