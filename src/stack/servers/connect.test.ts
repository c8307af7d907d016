import { Server, ServerCredentials, status } from '@grpc/grpc-js';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connectTemporal, connectTemporalWorker } from './connect.js';
import type { TemporalServer } from '../services.js';
import { scaled } from '../../../tests/vitest/yardstick.js';
import { UserError } from '../../domain/failure/user-error.js';

const at = (address: string): TemporalServer => ({
  address,
  namespace: 'durabench',
  connectionOptions: { address },
  uiUrl: undefined,
});
// Nobody listens on the discard port; a connection is refused at once.
const NOBODY = '127.0.0.1:9';

describe.each([
  ['client', connectTemporal],
  ['worker', connectTemporalWorker],
])('a %s without a server', (_, connect) => {
  it('waits with a message, then gives up with three lines', async () => {
    const said: string[] = [];
    const attempt = connect(at(NOBODY), { deadlineMs: scaled(600), onWaiting: (message) => said.push(message) });
    await expect(attempt).rejects.toThrow(UserError);
    await expect(attempt).rejects.toThrow(
      /^Temporal at 127\.0\.0\.1:9 does not answer .+\nexpected: .+\nfix: .*durabench up.*$/,
    );
    expect(said).toEqual(['waiting for Temporal at 127.0.0.1:9 (it does not answer)']);
  });

  it('stops waiting when told to', async () => {
    const stop = new AbortController();
    const attempt = connect(at(NOBODY), { signal: stop.signal, onWaiting: () => stop.abort(new Error('enough')) });
    await expect(attempt).rejects.toThrow(/enough|aborted/);
  });
});

it('a server that accepts and never speaks counts as one that does not answer', async () => {
  const mute = createServer(() => undefined);
  const port = await new Promise<number>((resolve) => {
    mute.listen(0, '127.0.0.1', () => resolve((mute.address() as { port: number }).port));
  });
  try {
    await expect(connectTemporal(at(`127.0.0.1:${port}`), { deadlineMs: 1 })).rejects.toThrow(/does not answer/);
  } finally {
    mute.close();
  }
});

it('a call that the client would send again ends with its connection, and throws nowhere else', async () => {
  const server = new Server();
  const none = Buffer.alloc(0);
  const method = (path: string) => ({
    ...{
      path: `/temporal.api.workflowservice.v1.WorkflowService/${path}`,
      requestStream: false,
      responseStream: false,
    },
    ...{ requestSerialize: () => none, requestDeserialize: () => none },
    ...{ responseSerialize: () => none, responseDeserialize: () => none },
  });
  server.addService(
    { getSystemInfo: method('GetSystemInfo'), listNamespaces: method('ListNamespaces') },
    {
      getSystemInfo: (_: unknown, answer: (error: null, value: Buffer) => void) => answer(null, none),
      listNamespaces: (_: unknown, answer: (error: object) => void) => answer({ code: status.UNAVAILABLE }),
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  const uncaught: unknown[] = [];
  const note = (error: unknown): number => uncaught.push(error);
  process.on('uncaughtException', note);
  try {
    const connection = await connectTemporal(at(`127.0.0.1:${port}`));
    const asked = connection.workflowService.listNamespaces({});
    asked.catch(() => undefined);
    await sleep(50);
    await connection.close();
    await expect(asked).rejects.toMatchObject({ code: status.CANCELLED });
    expect(uncaught).toEqual([]);
  } finally {
    process.off('uncaughtException', note);
    server.forceShutdown();
  }
});
