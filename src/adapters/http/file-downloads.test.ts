import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
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
const MD5 = createHash('md5').update(BYTES).digest('hex');
const HALF = 200_000;
/** Above every process id that Linux gives. */
const NOBODY = 2 ** 22 + 1;

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

/** Those that note how long they were to wait, and do not. */
function hasty() {
  const waits: number[] = [];
  const wait = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  return { waits, downloads: createFileDownloads({ folder, wait }) };
}

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

test('waits as long as a server asks for, in seconds or until a moment', async () => {
  const answers = [
    { status: 429, headers: { 'retry-after': '7' } },
    { status: 503, headers: { 'retry-after': new Date(Date.now() + 300_000).toUTCString() } },
    {
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${Math.ceil(Date.now() / 1000) + 60}` },
    },
  ];
  serve = (request, response) => {
    const answer = answers[ranges.length - 1];
    if (answer === undefined) whole(request, response);
    else response.writeHead(answer.status, answer.headers).end();
  };
  const { waits, downloads: patient } = hasty();
  await patient.fetch(wanted());
  expect(waits[0]).toBe(7_000);
  expect(waits.slice(1).every((ms) => ms > 0 && ms <= 300_000)).toBe(true);
  expect(ranges).toHaveLength(4);
});

test('says when to come back to a server that asks for more than a quarter of an hour', async () => {
  serve = (_request, response) => void response.writeHead(429, { 'retry-after': '3000' }).end();
  const { waits, downloads: patient } = hasty();
  await expect(patient.fetch(wanted())).rejects.toMatchObject({
    type: 'dataset.missing',
    problem: { message: /asks for a pause of 50 minutes/, fix: /again/ },
  });
  expect(waits).toEqual([]);
});

test('goes on as often as it takes where each time something comes', async () => {
  const step = 40_000;
  serve = ({ headers }, response) => {
    const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
    // A body of the right length, and too little: the size of the file tells.
    response.writeHead(from > 0 ? 206 : 200, { 'content-range': `bytes ${from}-${from + step - 1}/${BYTES.length}` });
    response.end(BYTES.subarray(from, from + step));
  };
  const { path } = await downloads().fetch({ ...wanted(), bytes: BYTES.length });
  expect((await readFile(path)).equals(BYTES)).toBe(true);
  expect(ranges).toHaveLength(BYTES.length / step);
});

test('gives a server up that cuts off at the same place for ever', async () => {
  serve = (_request, response) => void response.end(BYTES.subarray(0, HALF));
  const cut = downloads().fetch({ ...wanted(), bytes: BYTES.length });
  await expect(cut).rejects.toMatchObject({ type: 'dataset.missing', message: /200000 of 400000 bytes/ });
});

test('begins anew where another range comes than was asked for', async () => {
  serve = (request, response) => {
    if (ranges.length === 1) half(request, response);
    else if (ranges.length > 2) whole(request, response);
    else {
      response.writeHead(206, { 'content-range': `bytes 100-${BYTES.length - 1}/${BYTES.length}` });
      response.end(BYTES.subarray(100));
    }
  };
  const { path } = await downloads().fetch(wanted());
  expect((await readFile(path)).equals(BYTES)).toBe(true);
  expect(ranges).toEqual([undefined, `bytes=${HALF}-`, undefined]);
});

test('begins anew where what it went on with was of another file', async () => {
  serve = (request, response) => {
    if (ranges.length > 1) return whole(request, response);
    response.writeHead(200, { 'content-length': BYTES.length });
    response.write(Buffer.alloc(HALF, 7));
    void halfKept().then(() => response.destroy());
  };
  const { path } = await downloads().fetch(wanted());
  expect((await readFile(path)).equals(BYTES)).toBe(true);
  expect(ranges).toEqual([undefined, `bytes=${HALF}-`, undefined]);
});

test('begins anew once, and gives a file up that is another one and whose first answers break off', async () => {
  serve = (request, response) => {
    // So that it ends where nobody gives it up.
    if (ranges.length > 20) response.writeHead(404).end();
    else if (request.headers.range === undefined) half(request, response);
    else whole(request, response);
  };
  const other = downloads().fetch(wanted({ sha256: '3'.repeat(64) }));
  await expect(other).rejects.toMatchObject({ type: 'dataset.hash-mismatch' });
  expect(ranges).toEqual([undefined, `bytes=${HALF}-`, undefined, `bytes=${HALF}-`]);
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ['in seconds', { 'retry-after': '0' }],
  ['until a moment that has passed here', { 'retry-after': new Date(Date.now() - 60_000).toUTCString() }],
  ['of a limit that has ended here', { 'x-ratelimit-reset': `${Math.floor(Date.now() / 1000) - 60}` }],
])('pauses, and longer each time, where a server asks for no pause: %s', async (_how, headers) => {
  serve = (_request, response) => void response.writeHead(429, headers).end();
  const { waits, downloads: patient } = hasty();
  await expect(patient.fetch(wanted())).rejects.toMatchObject({ type: 'dataset.missing', message: /429/ });
  expect(waits).toEqual([500, 1_000, 1_500, 2_000]);
});

test('says that the disk is full, asks no server again for that, and keeps what is there', async () => {
  serve = whole;
  // A part of a process that is gone, on a device that is always full.
  await symlink('/dev/full', join(folder, `${SHA256}.${NOBODY}.0.part`));
  const { waits, downloads: patient } = hasty();
  await expect(patient.fetch(wanted())).rejects.toMatchObject({
    type: 'sandbox.disk-full',
    problem: { message: new RegExp(`the disk of ${folder} is full`), fix: /goes on where it was/ },
  });
  expect([waits, ranges.length, (await readdir(folder)).length]).toEqual([[], 1, 1]);
});

test('knows how much of a file is still to come', async () => {
  serve = whole;
  const file = { url, mostBytes: 2 * BYTES.length };
  expect(await downloads().remaining(file)).toBe(2 * BYTES.length);
  expect(await downloads().remaining({ ...file, bytes: BYTES.length })).toBe(BYTES.length);
  await writeFile(join(folder, `${SHA256}.${NOBODY}.0.part`), BYTES.subarray(0, HALF));
  expect(await downloads().remaining(wanted())).toBe(BYTES.length - HALF);
  await writeFile(join(folder, `${sha256Hex(`${url} `)}.${NOBODY}.0.part`), BYTES.subarray(0, HALF));
  expect(await downloads().remaining({ ...file, bytes: BYTES.length })).toBe(BYTES.length - HALF);
  await downloads().fetch(wanted());
  expect(await downloads().remaining(wanted())).toBe(0);
});

test.each([404, 410])('says that a file has vanished (%i)', async (status) => {
  serve = (_request, response) => void response.writeHead(status).end();
  await expect(downloads().fetch(wanted())).rejects.toMatchObject({
    type: 'dataset.missing',
    problem: { message: /is not there any more/, fix: /publisher/ },
  });
  expect(ranges).toHaveLength(1);
});

test('pins a file by what came, checked by what its publisher says of it', async () => {
  serve = whole;
  const file = { url, mostBytes: BYTES.length, bytes: BYTES.length, md5: MD5 };
  const pinned = await downloads().pin(file);
  expect(pinned).toEqual({ path: join(folder, SHA256), bytes: BYTES.length, sha256: SHA256 });
  await downloads().fetch(wanted());
  expect(ranges).toHaveLength(1);
  const other = downloads().pin({ ...file, md5: '0'.repeat(32) });
  await expect(other).rejects.toMatchObject({ type: 'dataset.hash-mismatch', message: new RegExp(MD5) });
  expect(await readdir(folder)).toEqual([SHA256]);
});

test('goes on with a file that is to be pinned', async () => {
  serve = (request, response) => (ranges.length === 1 ? half : whole)(request, response);
  expect(await downloads().pin({ url, mostBytes: BYTES.length })).toMatchObject({ sha256: SHA256 });
  expect(ranges).toEqual([undefined, `bytes=${HALF}-`]);
});

test('follows redirects, and gives a circle of them up', async () => {
  serve = (request, response) => {
    if (request.url === '/file') response.writeHead(302, { location: '/elsewhere' }).end();
    else whole(request, response);
  };
  expect(await downloads().pin({ url, mostBytes: BYTES.length })).toMatchObject({ sha256: SHA256 });
  serve = (_request, response) => void response.writeHead(302, { location: '/file' }).end();
  await expect(downloads().fetch(wanted({ sha256: '2'.repeat(64) }))).rejects.toMatchObject({
    type: 'dataset.missing',
    message: /redirect/,
  });
});

test('reads what a service answers, from where it really is, and null where there is nothing', async () => {
  serve = (request, response) => {
    if (request.url === '/file') response.writeHead(301, { location: '/newest' }).end();
    else if (request.url === '/newest') response.end('{"id":2}');
    else if (request.url === '/large') response.end(Buffer.alloc(5 * 1024 ** 2));
    else response.writeHead(request.url === '/gone' ? 410 : 500).end();
  };
  const { waits, downloads: patient } = hasty();
  const origin = new URL(url).origin;
  expect(await patient.read(url)).toEqual({ url: `${origin}/newest`, text: '{"id":2}' });
  expect(await patient.read(`${origin}/gone`)).toBeNull();
  await expect(patient.read(`${origin}/large`)).rejects.toMatchObject({ type: 'dataset.missing' });
  expect(waits).toEqual([]);
  await expect(patient.read(`${origin}/broken`)).rejects.toMatchObject({ type: 'dataset.missing', message: /500/ });
  expect(waits).toHaveLength(4);
});
