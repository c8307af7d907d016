import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../../../tests/fixtures/wait-until.js';
import { sha256Hex } from '../../domain/text/content-hash.js';
import { createFileDownloads } from './file-downloads.js';

const BYTES = Buffer.from(Array.from({ length: 400_000 }, (_, index) => (index * 7) % 251));
const SHA256 = sha256Hex(BYTES);
const HALF = 200_000;

let folder: string;
let url: string;
let ranges: (string | undefined)[];
let serve: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((request, response) => {
  ranges.push(request.headers.range);
  serve(request, response);
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-downloads-'));
  ranges = [];
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

/** What an ordinary server does. */
function whole({ headers }: IncomingMessage, response: ServerResponse): void {
  const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
  if (from >= BYTES.length) return void response.writeHead(416).end();
  response.writeHead(from > 0 ? 206 : 200, { 'content-length': BYTES.length - from });
  response.end(BYTES.subarray(from));
}

/** Sends half of what is asked for, and breaks off once that is kept: before, what is on its way may be lost. */
function half(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-length': BYTES.length });
  response.write(BYTES.subarray(0, HALF));
  void halfKept().then(() => response.destroy());
}

async function halfKept(): Promise<void> {
  await waitUntil(
    async () => {
      const sizes = (await readdir(folder)).map(async (name) => (await readFile(join(folder, name))).length);
      return (await Promise.all(sizes)).includes(HALF);
    },
    { intervalMs: 20 },
  );
}

const wanted = (change: Partial<{ sha256: string; mostBytes: number }> = {}) => {
  return { url, sha256: SHA256, mostBytes: BYTES.length, ...change };
};
const downloads = () => createFileDownloads({ folder, pauseMs: 1 });

test('brings a file, checks it, and does not ask again', async () => {
  serve = whole;
  const { path, bytes } = await downloads().fetch(wanted());
  expect([bytes, (await readFile(path)).equals(BYTES)]).toEqual([BYTES.length, true]);
  await Promise.all([downloads().fetch(wanted()), downloads().fetch(wanted())]);
  expect(ranges).toEqual([undefined]);
});

test('goes on where a connection broke off', async () => {
  serve = (request, response) => (ranges.length === 1 ? half : whole)(request, response);
  const said: string[] = [];
  const { path } = await downloads().fetch(wanted(), { onProgress: (line) => said.push(line) });
  expect((await readFile(path)).equals(BYTES)).toBe(true);
  expect(ranges).toEqual([undefined, `bytes=${HALF}-`]);
  expect(said.join()).toContain(`at ${HALF} bytes`);
});

test('goes on where a process was killed in the middle', async () => {
  let killed: () => void = () => undefined;
  serve = (_request, response) => {
    response.writeHead(200, { 'content-length': BYTES.length });
    response.write(BYTES.subarray(0, HALF));
  };
  const module = pathToFileURL(join(import.meta.dirname, 'file-downloads.ts')).href;
  const program = `const { createFileDownloads } = await import(${JSON.stringify(module)});
    await createFileDownloads({ folder: ${JSON.stringify(folder)} }).fetch(${JSON.stringify(wanted())});`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    stdio: 'inherit',
  });
  const gone = new Promise<void>((resolve) => (killed = resolve));
  child.once('exit', () => killed());
  await halfKept();
  child.kill('SIGKILL');
  await gone;
  serve = whole;
  const { path } = await downloads().fetch(wanted());
  expect((await readFile(path)).equals(BYTES)).toBe(true);
  expect(ranges).toEqual([undefined, `bytes=${HALF}-`]);
  expect(await readdir(folder)).toEqual([SHA256]);
});

test('begins anew where the server knows no ranges', async () => {
  serve = (request, response) => {
    if (ranges.length === 1) half(request, response);
    else response.end(BYTES);
  };
  const { path } = await downloads().fetch(wanted());
  expect((await readFile(path)).equals(BYTES)).toBe(true);
});

test('refuses another file, in three lines, and keeps nothing of it', async () => {
  serve = whole;
  const other = downloads().fetch(wanted({ sha256: '0'.repeat(64) }));
  await expect(other).rejects.toMatchObject({ type: 'dataset.hash-mismatch', problem: { fix: /pin the new one/ } });
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ['says so', whole],
  ['does not say so', (_request: IncomingMessage, response: ServerResponse) => void response.end(BYTES)],
])('leaves a server that serves more than may be, and %s', async (_how, how) => {
  serve = how;
  const tooLarge = downloads().fetch(wanted({ mostBytes: HALF }));
  await expect(tooLarge).rejects.toMatchObject({ type: 'dataset.hash-mismatch' });
  expect([await readdir(folder), ranges.length]).toEqual([[], 1]);
});

test('asks a busy server again, and one that has it not only once', async () => {
  serve = (request, response) => {
    if (ranges.length < 3) response.writeHead(503).end();
    else whole(request, response);
  };
  await downloads().fetch(wanted());
  expect(ranges).toHaveLength(3);
  serve = (_request, response) => void response.writeHead(404).end();
  const missing = downloads().fetch(wanted({ sha256: '1'.repeat(64) }));
  await expect(missing).rejects.toMatchObject({ type: 'dataset.missing', message: /404/ });
  expect(ranges).toHaveLength(4);
});

test('ends at an abort, and keeps what has come', async () => {
  const control = new AbortController();
  serve = (_request, response) => {
    response.writeHead(200, { 'content-length': BYTES.length });
    response.write(BYTES.subarray(0, HALF), () => control.abort(new Error('enough')));
  };
  await expect(downloads().fetch(wanted(), { signal: control.signal })).rejects.toThrow('enough');
  expect((await readdir(folder)).every((name) => name.startsWith(SHA256))).toBe(true);
});
