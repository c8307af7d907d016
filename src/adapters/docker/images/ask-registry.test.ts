import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { askRegistry } from './ask-registry.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function registry(answer: RequestListener): Promise<string> {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}/team/image:1`;
}

describe('a registry that is asked without an engine', () => {
  it.each([200, 401])('answers with %i where it serves images', async (status) => {
    const asked: (string | undefined)[] = [];
    const reference = await registry((request, response) => {
      asked.push(request.url);
      response.writeHead(status).end();
    });
    expect(await askRegistry(reference, 60_000)).toBeNull();
    expect(asked).toEqual(['/v2/']);
  });

  it('is not taken for one where a gateway answers for it', async () => {
    const reference = await registry((_, response) => response.writeHead(502).end());
    expect(await askRegistry(reference, 60_000)).toBe('answers with 502');
  });

  it('is waited for no longer than asked', async () => {
    expect(await askRegistry(await registry(() => undefined), 100)).toBe('silent for 0.1 s');
  });

  it('that nobody listens for is told with the reason', async () => {
    const reference = await registry(() => undefined);
    server!.close();
    await once(server!, 'close');
    expect(await askRegistry(reference, 60_000)).toMatch(/ECONNREFUSED/);
    expect(await askRegistry('no-such-registry.invalid/image', 60_000)).toMatch(/no-such-registry\.invalid/);
  });
});
