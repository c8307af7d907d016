/**
 * What a turn of an agent costs without model or work: `true` in a workspace of some size, in the container that has it (warm) and in a
 * new one (restored), and what is stored of thirty turns; and what a request through a door costs, so many at once.
 *
 *   npx tsx bench/agents/workspaces.ts [--turns 20] [--restores 5] [--doors 32] [--only 50x100]
 *
 * Needs Docker and the base image (`durabench images build base`). Prints a line of JSON for each figure.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import type { WorkspaceRef } from '../../src/contract/sandbox-result.js';
import type { Sandbox, SandboxResult, SandboxRun } from '../../src/ports/sandbox.js';

/** MiB and files. */
const SIZES = ['0x0', '50x100', '500x100', '50x10000', '100x100'];
const MIB = 1024 ** 2;

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '20' },
    restores: { type: 'string', default: '5' },
    doors: { type: 'string', default: '32' },
    only: { type: 'string' },
  },
});
const packageRoot = join(import.meta.dirname, '..', '..');
const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-bench-'));
const blobs = createFileBlobs({ folder: join(stateFolder, 'blobs') });
const open = (): Sandbox =>
  createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 2, blobs });
const sandbox = open();
try {
  for (const size of values.only === undefined ? SIZES : [values.only]) await turns(size);
  await stored(30);
  await doors(Number(values.doors));
} finally {
  await sandbox.close();
  await rm(stateFolder, { recursive: true, force: true });
}

function print(line: Record<string, unknown>): void {
  const machine = { cores: cpus().length, load: Number(loadavg()[0]?.toFixed(1)) };
  process.stdout.write(`${JSON.stringify({ ...line, ...machine })}\n`);
}

async function run(command: string[], extra: Partial<SandboxRun>, on = sandbox): Promise<SandboxResult> {
  return on.run({
    image: 'base',
    command,
    mounts: [],
    poolKey: null,
    owner: { campaignId: 'bench', ownerId: 'bench' },
    signal: new AbortController().signal,
    limits: { workspaceBytes: 600 * MIB, fileSizeBytes: 600 * MIB, wallSeconds: 600, cpuSeconds: 600 },
    ...extra,
  });
}

async function turns(size: string): Promise<void> {
  const [mib = 0, files = 0] = size.split('x').map(Number);
  const each = files === 0 ? 0 : Math.floor((mib * MIB) / files);
  const script = `
import os
for file in range(${files}):
    os.makedirs(f"d{file // 100}", exist_ok=True)
    with open(f"d{file // 100}/f{file}", "wb") as out: out.write(os.urandom(${each}))`;
  const began = performance.now();
  const made = await run(['python3', '-c', script], { workspace: { from: null } });
  const from = made.workspace?.ref ?? null;
  if (made.workspace?.undone !== null || from === null) throw new Error(JSON.stringify(made.workspace));
  print({ size, what: 'made and stored', seconds: rounded((performance.now() - began) / 1000), names: from.files });
  print({ size, what: 'unchanged, warm', ...(await timed(Number(values.turns), () => again(from, sandbox))) });
  const restored = async (): Promise<void> => {
    const other = open();
    await again(from, other, 'fresh');
    await other.close();
  };
  print({ size, what: 'restored, with its container', ...(await timed(Number(values.restores), restored)) });
}

async function again(from: WorkspaceRef, on: Sandbox, container = 'pooled'): Promise<void> {
  const done = await run(['true'], { workspace: { from } }, on);
  const isSame = done.workspace?.ref?.manifest === from.manifest && done.container === container;
  if (!isSame) throw new Error(JSON.stringify([done.container, done.workspace]));
}

/** Bytes that thirty turns of which each changes a few of a thousand files store, against what they change. */
async function stored(count: number): Promise<void> {
  let [ref, bytes]: [WorkspaceRef | null, number] = [null, 0];
  const first = 'for each in $(seq 1000); do head -c 20000 /dev/urandom >f$each; done';
  for (let turn = 0; turn < count; turn += 1) {
    const script =
      turn === 0 ? first : `for each in 1 2 3; do head -c 20000 /dev/urandom >f$((${turn} * 3 + each)); done`;
    const { workspace } = await run(['sh', '-c', script], { workspace: { from: ref } });
    ref = workspace?.ref ?? null;
    bytes += (workspace?.stored ?? []).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  }
  const changed = 1000 * 20_000 + (count - 1) * 3 * 20_000;
  print({ what: `stored of ${count} turns`, bytes, changed, ratio: rounded(bytes / changed) });
}

/** Requests of a line each, answered at once: what the way through the door takes. */
async function doors(atOnce: number): Promise<void> {
  const each = 50;
  const script = `
import socket, threading, time
taken = []
def ask():
    for _ in range(${each}):
        began = time.perf_counter()
        with socket.create_connection(("127.0.0.1", 4010)) as door:
            door.sendall(b"x" * 2000)
            door.shutdown(socket.SHUT_WR)
            while door.recv(65536): pass
        taken.append(time.perf_counter() - began)
asking = [threading.Thread(target=ask) for _ in range(${atOnce})]
for one in asking: one.start()
for one in asking: one.join()
taken.sort()
print(len(taken), taken[len(taken) // 2], taken[int(len(taken) * 0.95)])`;
  const serve = async (connection: NodeJS.ReadWriteStream): Promise<void> => {
    connection.resume();
    await once(connection, 'end');
    connection.end(Buffer.alloc(2_000));
  };
  const done = await run(['python3', '-c', script], { doors: [{ port: 4010, serve: (one) => void serve(one) }] });
  const [requests = 0, p50 = 0, p95 = 0] = done.stdout.bytes.toString().split(' ').map(Number);
  print({ what: `door, ${atOnce} at once`, requests, p50Ms: rounded(p50 * 1000), p95Ms: rounded(p95 * 1000) });
}

async function timed(count: number, act: () => Promise<void>): Promise<{ runs: number; p50: number; p90: number }> {
  const seconds: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const began = performance.now();
    await act();
    seconds.push((performance.now() - began) / 1000);
  }
  seconds.sort((one, other) => one - other);
  const at = (share: number): number => rounded(seconds[Math.floor((seconds.length - 1) * share)] ?? 0);
  return { runs: count, p50: at(0.5), p90: at(0.9) };
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
