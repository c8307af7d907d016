/**
 * What a slot for runs costs (a container with an engine and its images), and what a look of the linters costs: seconds, memory.
 *
 *   npx tsx bench/gha-bench/slot.ts [--rounds 5]
 *
 * Needs Docker and the images of GHA-Bench. The first round also fills the volume with the images where it is not there.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import type { SandboxRun } from '../../src/ports/sandbox.js';
import { runLinters } from '../../tasks/gha-bench/lint/run-linters.js';
import { ENGINE_IMAGES } from '../../tasks/gha-bench/runs/run-scenario.js';
import { GHA_LIMITS } from '../../tasks/gha-bench/suite.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SUITE = join(ROOT, 'tasks', 'gha-bench');
const WORKFLOW = `on: push
permissions: { contents: read }
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: { persist-credentials: false }
      - run: make test
`;
/** Programs of the engine by resident memory in MiB, and what of the images' disk the container holds. */
const ASK = `
for name in dockerd containerd; do
  echo "$name $(awk '/VmRSS/ {print int($2 / 1024)}' /proc/$(cat /run/engine/$name.pid)/status)"
done
echo "disk $(du -sm /var/lib/docker | cut -f 1)"`;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);
const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-slot-'));
const sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot: ROOT, slots: 1 });
const owner = { campaignId: 'slot', ownerId: 'slot' };
const signal = new AbortController().signal;
const slot = (poolKey: string | null, command: string[]): SandboxRun => ({
  ...{ image: 'gha-engine', engine: { images: ENGINE_IMAGES }, command, mounts: [], limits: GHA_LIMITS.runs },
  ...{ poolKey, owner, signal },
});
const lint = () =>
  runLinters({
    files: new Map([['.github/workflows/ci.yml', Buffer.from(WORKFLOW)]]),
    ...{
      project: {},
      workflows: ['.github/workflows/ci.yml'],
      actions: [],
      suiteFolder: SUITE,
      sandbox,
      owner,
      signal,
    },
  });

try {
  console.log(`${cpus().length} processors (${cpus()[0]?.model}), load ${loadavg()[0]?.toFixed(1)}`);
  const asked = await sandbox.run(slot(null, ['sh', '-c', ASK]));
  console.log(asked.stdout.bytes.toString('utf8').trim());
  console.log(`slot up, its images copied: ${await times(() => sandbox.run(slot(null, ['true'])))}`);
  await sandbox.run(slot('again', ['true']));
  console.log(`the same slot again: ${await times(() => sandbox.run(slot('again', ['true'])))}`);
  await lint();
  console.log(`lint of one workflow: ${await times(lint)}`);
} finally {
  await sandbox.close();
  await rm(stateFolder, { recursive: true, force: true });
}

async function times(work: () => Promise<unknown>): Promise<string> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await work();
    seconds.push((performance.now() - started) / 1000);
  }
  const sorted = seconds.sort((one, other) => one - other);
  const at = (part: number): string => (sorted[Math.min(rounds - 1, Math.floor(part * rounds))] ?? NaN).toFixed(1);
  return `p50 ${at(0.5)} s, p95 ${at(0.95)} s, least ${at(0)} s of ${rounds}`;
}
