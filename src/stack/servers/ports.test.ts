import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { choosePort, isPortFree, isPortOpen } from './ports.js';

async function withListener(use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use((server.address() as { port: number }).port);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

it('tells a taken port from a free one', async () => {
  let port = 0;
  await withListener(async (taken) => {
    port = taken;
    expect(await isPortFree(taken)).toBe(false);
    expect(await isPortOpen(taken)).toBe(true);
  });
  expect(await isPortFree(port)).toBe(true);
  expect(await isPortOpen(port)).toBe(false);
});

it('takes the preferred port when it can, else the same other one each time, outside the ephemeral range', async () => {
  await withListener(async (taken) => {
    const chosen = await choosePort({ preferred: [taken], seed: 'a project' });
    expect(chosen).not.toBe(taken);
    expect(chosen).toBeLessThan(32_768);
    expect(await choosePort({ preferred: [taken], seed: 'a project' })).toBe(chosen);
    expect(await choosePort({ preferred: [taken], seed: 'a project', avoid: [chosen] })).not.toBe(chosen);
    expect(await choosePort({ preferred: [chosen], seed: 'another' })).toBe(chosen);
  });
});
