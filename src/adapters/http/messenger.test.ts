import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../tests/fixtures/free-port.js';
import { createMessenger } from './messenger.js';

interface Seen {
  method: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

let server: Server;
let url: string;
let answer: (response: ServerResponse, seen: Seen) => void;
const seen: Seen[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (bytes: Buffer) => (body += bytes.toString()));
    request.on('end', () => {
      const { method, headers } = request;
      seen.push({ method, headers, body });
      answer(response, seen.at(-1)!);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  url = `http://127.0.0.1:${address.port}/hook`;
});
afterEach(() => void seen.splice(0));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const SECRETS: Record<string, string> = { TOKEN: 'Bearer secret', PATH: process.env['PATH'] ?? '' };
const variable = (name: string): string | undefined => (name === 'HOOK' ? url : SECRETS[name]);
const messenger = createMessenger({ variable });
const rest = { on: ['end' as const], stallMinutes: 30 };
const message = { body: '{"version":2}', key: 'c/end/1/0' };
const status = (code: number, headers = {}) => {
  answer = (response) => void response.writeHead(code, headers).end('x'.repeat(100_000));
};

describe('a webhook', () => {
  it('gets the message as JSON, with its key and what the variable holds', async () => {
    status(204);
    const sent = await messenger.send({ ...rest, webhookEnv: 'HOOK', authorizationEnv: 'TOKEN' }, message);
    expect(sent).toEqual({ delivered: true });
    expect(seen).toMatchObject([{ method: 'POST', body: message.body }]);
    expect(seen[0]?.headers).toMatchObject({
      ...{ 'content-type': 'application/json', 'idempotency-key': message.key, authorization: 'Bearer secret' },
    });
  });

  it.each([
    [500, false],
    [429, false],
    [404, true],
    [302, true],
  ])('that answers %i was not told; tried again: %s', async (code, isFinal) => {
    status(code, { location: `${url}/elsewhere` });
    const sent = await messenger.send({ ...rest, webhook: url }, message);
    expect(sent).toEqual({ delivered: false, problem: `it answered ${code}`, isFinal });
    // A redirect is not followed.
    expect(seen).toHaveLength(1);
  });

  it('that is down, or never answers, is told of without its address', async () => {
    const down = await messenger.send({ ...rest, webhook: `http://127.0.0.1:${await freePort()}/secret` }, message);
    expect(down).toEqual({ delivered: false, problem: 'it cannot be reached (ECONNREFUSED)', isFinal: false });
    answer = () => undefined;
    const slow = createMessenger({ variable, limitMs: 50 });
    const sent = await slow.send({ ...rest, webhook: url }, message);
    expect(sent).toEqual({ delivered: false, problem: 'it did not answer within 0.05 s', isFinal: false });
  });

  it('whose variable is not set, or holds no address, waits for it', async () => {
    const missing = await messenger.send({ ...rest, webhookEnv: 'NOWHERE' }, message);
    expect(missing).toMatchObject({ isFinal: false, problem: expect.stringContaining('NOWHERE is not set') as string });
    expect(await messenger.send({ ...rest, webhookEnv: 'TOKEN' }, message)).toMatchObject({ isFinal: false });
    expect(seen).toEqual([]);
  });
});

describe('a command', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'durabench-tell-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const shell = (script: string, ...args: string[]) =>
    messenger.send({ ...rest, command: ['sh', '-c', script, 'sh', ...args] }, message);

  it('gets the message on stdin, and no key of the worker', async () => {
    const file = join(folder, 'said');
    expect(await shell('{ cat; env; } > "$1"', file)).toEqual({ delivered: true });
    const said = await readFile(file, 'utf8');
    expect(said.split('\n')[0]).toBe(message.body);
    expect(said).not.toContain('secret');
  });

  it('that fails, is not there or reads nothing ends the try; words of it are made plain', async () => {
    expect(await shell('printf "no \\033[31mway" >&2; exit 3')).toMatchObject({
      ...{ delivered: false, isFinal: false },
      problem: expect.stringMatching(/^it ended with 3: no .*way$/) as string,
    });
    expect(await messenger.send({ ...rest, command: ['no-such-program'] }, message)).toMatchObject({
      delivered: false,
    });
    expect(await shell('exec 0<&-; exit 0')).toEqual({ delivered: true });
  });

  it('that does not end is ended; what it leaves running is not waited for', async () => {
    const quick = createMessenger({ variable, limitMs: 200 });
    const slow = await quick.send({ ...rest, command: ['sleep', '60'] }, message);
    expect(slow).toMatchObject({ problem: 'it did not end within 0.2 s' });
    expect(await shell('sleep 60 >/dev/null & exit 0')).toEqual({ delivered: true });
  });
});
