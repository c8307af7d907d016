import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectDocker } from './connect-docker.js';
import { scaled } from '../../../../tests/vitest/yardstick.js';

let folder: string;
let server: Server | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-silence-'));
});

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await rm(folder, { recursive: true });
});

/** An engine that answers as told, or not at all. */
async function engine(answer: RequestListener, callMs: number, busyMs = 10 * callMs): Promise<Docker> {
  const socketPath = join(folder, 'docker.sock');
  const opened = createServer(answer);
  server = opened;
  await new Promise<void>((resolve) => opened.listen(socketPath, resolve));
  return connectDocker({ socketPath, limits: { callMs, busyMs, statsMs: callMs } });
}

test.each<[string, (docker: Docker) => Promise<unknown>]>([
  ['a question', (docker) => docker.getContainer('c').inspect()],
  ['a stream that never begins', (docker) => docker.getExec('e').start({ hijack: true, stdin: true })],
  ['a wait', (docker) => docker.getContainer('c').wait()],
])('%s gets no answer: it fails as one that reaches nobody', async (_, ask) => {
  const docker = await engine(() => undefined, 50);
  await expect(ask(docker)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
});

test('an answer that stops in its middle is none', async () => {
  const docker = await engine(
    (_, reply) => reply.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    50,
  );
  await expect(docker.getContainer('c').inspect()).rejects.toMatchObject({ code: 'ETIMEDOUT' });
});

test('a wait lasts as long as it takes, while the engine answers otherwise', async () => {
  let waiting: ServerResponse | undefined;
  const docker = await engine(({ url = '' }, reply) => {
    if (url.includes('/wait')) return void (waiting = reply);
    reply.end('OK');
    waiting?.end('{"StatusCode":7}');
  }, scaled(1_500));
  expect(await docker.getContainer('c').wait()).toEqual({ StatusCode: 7 });
});

test('any call lasts longer where the engine is busy, but answers pings', async () => {
  let waiting: ServerResponse | undefined;
  const docker = await engine(
    ({ url = '' }, reply) => {
      if (url.includes('/start')) return void (waiting = reply);
      reply.end('OK');
      waiting?.writeHead(204).end();
    },
    scaled(1_500),
    scaled(600_000),
  );
  await docker.getContainer('c').start();
});

test('a call in which an engine hangs that answers pings fails after a longer time', async () => {
  const docker = await engine(({ url = '' }, reply) => void (url.includes('_ping') && reply.end('OK')), 10_000, 50);
  await expect(docker.getContainer('c').start()).rejects.toMatchObject({
    code: 'ETIMEDOUT',
    message: 'no answer to POST /containers/c/start within 0.05 s',
  });
});
