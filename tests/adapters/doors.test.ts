import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMeteredEndpoint } from '../../src/agents/metered-endpoint.js';
import { askContainer } from '../../src/adapters/docker/engine/ask-container.js';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { LABEL } from '../../src/adapters/docker/engine/labels.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { sandboxDoorsConformance } from '../../src/ports/conformance/sandbox-doors.conformance.js';
import type { SandboxResult, SandboxRun } from '../../src/ports/sandbox.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';

let stateFolder: string;
let sandbox: DockerSandbox;

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'durabench-doors-'));
  await ensureImages(join(stateFolder, 'cache'), 'base');
  const packageRoot = join(import.meta.dirname, '..', '..');
  sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 2 });
});

afterAll(async () => {
  await sandbox?.close();
  await rm(stateFolder, { recursive: true, force: true });
});

const CLIENT = `
import socket, sys, threading
def ask(port, sent):
    with socket.create_connection(("127.0.0.1", port)) as door:
        def send():
            door.sendall(sent)
            door.shutdown(socket.SHUT_WR)
        writer = threading.Thread(target=send, daemon=True)
        writer.start()
        parts = []
        while part := door.recv(65536):
            parts.append(part)
        return b"".join(parts)
`;
const python = (script: string): string[] => ['python3', '-c', `${CLIENT}\n${script}`];

sandboxDoorsConformance('Docker', () => ({
  sandbox,
  bench: {
    image: 'base',
    ask: (port, said) =>
      python(`
try:
    print(ask(${port}, ${JSON.stringify(said)}.encode()).decode())
except ConnectionResetError:
    pass`),
    askAtOnce: (port, count) =>
      python(`
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(${count}) as pool:
    for said in pool.map(lambda number: ask(${port}, str(number).encode()), range(${count})):
        print(said.decode())`),
    sendMuch: (port, bytes) => python(`print(len(ask(${port}, b"x" * ${bytes})))`),
    writeAndSleep: (path, said) => ['sh', '-c', `printf %s "$1" >"$0"; sleep 600`, path, said],
  },
}));

async function run(script: string, extra: Partial<SandboxRun> = {}): Promise<SandboxResult> {
  return sandbox.run({
    image: 'base',
    command: python(script),
    mounts: [],
    poolKey: null,
    owner: { campaignId: 'doors-test', ownerId: 'doors-test' },
    signal: new AbortController().signal,
    ...extra,
  });
}
const said = (result: SandboxResult): string => result.stdout.bytes.toString('utf8').trim();
const docker = connectDocker();

/** As nobody in the container can: by the user of the relay. */
async function killRelay(ownerId: string): Promise<void> {
  const [found] = await docker.listContainers({ filters: { label: [`${LABEL.owner}=${ownerId}`] } });
  const script =
    'for each in /proc/[0-9]*; do grep -aq "class [R]elay" $each/cmdline && kill -KILL ${each#/proc/}; done; true';
  await askContainer(docker.getContainer(found!.Id), ['sh', '-c', script], 60_000);
}

const echo = (connection: Duplex): void => void connection.pipe(connection);

describe('a door of a container', () => {
  test('leaves it without a network, an address but the loopback, and any means to end the relay', async () => {
    const script = `
import os
links = [line.split(":")[0].strip() for line in open("/proc/net/dev").readlines()[2:]]
relay = [p for p in os.listdir("/proc") if p.isdigit() and (b"class " + b"Relay:") in open(f"/proc/{p}/cmdline", "rb").read()]
def tries(what):
    try:
        what()
        return "allowed"
    except PermissionError:
        return "refused"
print(links, len(relay))
print(tries(lambda: os.kill(int(relay[0]), 9)), tries(lambda: open(f"/proc/{relay[0]}/fd/1", "wb")))
print(ask(4010, b"still here").decode())`;
    const done = await run(script, { doors: [{ port: 4010, serve: echo }] });
    expect(said(done)).toBe("['lo'] 1\nrefused refused\nstill here");
  });

  test('takes what clients do wrong, and goes on: they leave in the middle, open a thousand, and read nothing', async () => {
    const script = `
held = []
for number in range(1000):
    try:
        door = socket.create_connection(("127.0.0.1", 4010), timeout=30)
        door.sendall(b"x" * 100)
        held.append(door)
    except OSError:
        pass
for door in held:
    door.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\\x01\\0\\0\\0\\0\\0\\0\\0")
    door.close()
import time
for attempt in range(200):
    try:
        if ask(4010, b"after that") == b"after that":
            print("served")
            break
    except OSError:
        time.sleep(0.1)`;
    const done = await run(script, { doors: [{ port: 4010, serve: echo }], limits: { openFiles: 4096 } });
    expect(said(done)).toBe('served');
  });

  test('is closed when its relay is killed, and the run goes on', async () => {
    const owner = { campaignId: 'doors-test', ownerId: `doors-killed-${process.pid}` };
    const script = `
import time
print(ask(4010, b"before").decode(), flush=True)
held = socket.create_connection(("127.0.0.1", 4010))
held.sendall(b"open")
while True:
    try:
        socket.create_connection(("127.0.0.1", 4010)).close()
        time.sleep(0.05)
    except ConnectionRefusedError:
        break
held.settimeout(60)
try:
    while held.recv(10):
        pass
except ConnectionResetError:
    pass
print("went on")`;
    let [closed, isKilled] = [0, false];
    const serve = (connection: Duplex): void => {
      connection.on('close', () => (closed += 1));
      connection.on('data', (chunk: Buffer) => {
        if (chunk.toString() === 'open' && !isKilled) isKilled = void killRelay(owner.ownerId) === undefined;
        else connection.write(chunk);
      });
      connection.on('end', () => connection.end());
    };
    const done = await run(script, { doors: [{ port: 4010, serve }], owner });
    expect([said(done), done.exitCode]).toEqual(['before\nwent on', 0]);
    expect(closed).toBeGreaterThanOrEqual(2);
  });

  test('takes a flood, slow readers and halves that stay open, to the end of the run and no longer', async () => {
    const script = `
import threading
slow = socket.create_connection(("127.0.0.1", 4011))
half = socket.create_connection(("127.0.0.1", 4010))
half.shutdown(socket.SHUT_WR)
def flood():
    for each in range(40):
        try:
            door = socket.create_connection(("127.0.0.1", 4010), timeout=30)
            door.sendall(b"x" * 10000)
            door.close()
        except OSError:
            pass
floods = [threading.Thread(target=flood) for each in range(32)]
for each in floods: each.start()
for each in floods: each.join()
print(ask(4010, b"served").decode(), len(slow.recv(10)))`;
    let open = 0;
    const counted = (serve: (connection: Duplex) => void) => (connection: Duplex) => {
      open += 1;
      connection.on('close', () => (open -= 1));
      serve(connection);
    };
    const large = counted((connection) => void connection.write(Buffer.alloc(20_000_000)));
    const doors = [
      { port: 4010, serve: counted(echo) },
      { port: 4011, serve: large },
    ];
    const done = await run(script, { doors, limits: { openFiles: 4096 } });
    expect(said(done)).toBe('served 10');
    expect(open).toBe(0);
  });

  test('with a model behind it refuses a request of 100 MB with its answer, in little memory, and serves the next', async () => {
    const endpoint = createMeteredEndpoint({
      model: 'big',
      ask: () => Promise.resolve({ text: 'asked', finishReason: 'stop', usage: null, providerRequestId: null }),
      onSpent: () => undefined,
      onFailure: () => undefined,
      signal: new AbortController().signal,
    });
    const script = `
import json, urllib.error, urllib.request
def post(body):
    try:
        return json.load(urllib.request.urlopen("http://127.0.0.1:4010/v1/chat/completions", body))["choices"][0]["message"]["content"]
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)["error"]["code"]
print(post(b"x" * 100_000_000))
print(post(json.dumps({"model": "big", "messages": [{"role": "user", "content": "hello"}]}).encode()))`;
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
    const serve = (connection: Duplex): void => endpoint.serve(connection);
    const done = await run(script, { doors: [{ port: 4010, serve }], limits: { wallSeconds: 120 } });
    clearInterval(watch);
    expect([said(done), done.stderr.bytes.toString('utf8')]).toEqual(["(413, 'body_too_large')\nasked", '']);
    expect(endpoint.counts()).toEqual({ asked: 1, replayed: 0, refused: 1 });
    expect(most - before).toBeLessThan(200_000_000);
  });

  test('a run in the same container afterwards has no door', async () => {
    const shared = { poolKey: 'doors-shared' };
    expect(
      said(await run('print(ask(4010, b"one").decode())', { ...shared, doors: [{ port: 4010, serve: echo }] })),
    ).toBe('one');
    const next = await run('print(ask(4010, b"two").decode())', shared);
    expect(next.stderr.bytes.toString('utf8')).toContain('ConnectionRefusedError');
  });

  test('an abort ends the run and the connections of its doors', async () => {
    const control = new AbortController();
    let closed = false;
    const serve = (connection: Duplex): void => {
      connection.on('close', () => (closed = true));
      control.abort(new Error('enough'));
    };
    const waiting = run('ask(4010, b"one")', { doors: [{ port: 4010, serve }], signal: control.signal });
    await expect(waiting).rejects.toThrow('enough');
    expect(closed).toBe(true);
  });
});
