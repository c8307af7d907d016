/**
 * What a worker's memory comes to with large content: a mount and a piece of evidence, streamed.
 *
 *   npx tsx bench/agents/large-content.ts [--mount 1024] [--evidence 500]
 *
 * MiB both. Needs Docker and the base image. Prints a line of JSON: seconds, and the most memory of this process.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import tar from 'tar-stream';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { contentVolume } from '../../src/adapters/docker/volumes/content-volumes.js';
import { removeContent } from '../../src/adapters/docker/volumes/unused-content.js';

const MIB = 1024 ** 2;
const { values } = parseArgs({
  options: { mount: { type: 'string', default: '1024' }, evidence: { type: 'string', default: '500' } },
});
const packageRoot = join(import.meta.dirname, '..', '..');
const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-bench-'));
const blobs = createFileBlobs({ folder: join(stateFolder, 'blobs') });
const sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 1, blobs });
const given = createHash('sha256');
let most = 0;
const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
try {
  const began = performance.now();
  const evidence = await blobs.putStream(Readable.from(random(Number(values.evidence))), label('evidence.bin'));
  const content = await blobs.putStream(packed(Number(values.mount)), label('content.tar'));
  const mount = { sha256: content.sha256, load: () => blobs.open(content.sha256), path: '/content' };
  const seen = await sandbox.run({
    ...{ image: 'base', command: ['sh', '-c', 'sha256sum </content/large'], mounts: [mount], poolKey: null },
    limits: { cpuSeconds: 300, wallSeconds: 1200 },
    owner: { campaignId: 'bench', ownerId: 'bench' },
    signal: new AbortController().signal,
  });
  const hash = createHash('sha256');
  for await (const chunk of await blobs.open(evidence.sha256)) hash.update(chunk as Buffer);
  const isWhole =
    hash.digest('hex') === evidence.sha256 && seen.stdout.bytes.toString().startsWith(given.digest('hex'));
  await sandbox.close();
  await removeContent(connectDocker(), contentVolume(mount));
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const machine = { cores: cpus().length, load: Number(loadavg()[0]?.toFixed(1)) };
  const sizes = { mountMib: Number(values.mount), evidenceMib: Number(values.evidence) };
  console.log(JSON.stringify({ ...sizes, isWhole, seconds, mostMemoryMib: Math.round(most / MIB), ...machine }));
} finally {
  clearInterval(watch);
  await rm(stateFolder, { recursive: true, force: true });
}

function label(name: string): { name: string; mediaType: string } {
  return { name, mediaType: 'application/octet-stream' };
}

function* random(mib: number): Generator<Buffer> {
  const block = randomBytes(MIB);
  for (let at = 0; at < mib; at += 1) {
    block.writeUInt32BE(at);
    yield Buffer.from(block);
  }
}

/** A tar of one file. */
function packed(mib: number): Readable {
  const pack = tar.pack();
  void pipeline(Readable.from(hashed(mib)), pack.entry({ name: 'large', size: mib * MIB })).then(() => pack.finalize());
  return Readable.from(pack);
}

function* hashed(mib: number): Generator<Buffer> {
  for (const block of random(mib)) {
    given.update(block);
    yield block;
  }
}
