import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** What competes with what is measured. */
export interface HogCounts {
  /** Processes that only use CPU. */
  cpu: number;
  /**
   * Sessions these share, as other people's do; 0: each has its own. The scheduler (autogroup) gives each session as much as all
   * containers together, so that with many of them little is left to what is measured.
   */
  sessions: number;
  /** Processes that write, sync and remove files. */
  disk: number;
  /** Share of the free memory that one process holds and touches without end. */
  memoryShare: number;
  /** Loops that create, fill and remove containers. */
  containers: number;
}

/** Neighbours of what is measured, until they are ended. */
export interface Hogs {
  containersMade(): number;
  /** By process id, and by name for containers; nothing of them is left. */
  end(): Promise<void>;
}

const FILLED =
  'dd if=/dev/zero of=/tmp/filled bs=1M count=100 2>/dev/null; dd if=/dev/zero of=/filled bs=1M count=50 2>/dev/null';
const TOUCH = `const held = Array.from({ length: Number(process.argv[1]) }, () => Buffer.alloc(2 ** 20, 1));
for (let n = 0; ; n += 1) for (const part of held) for (let at = 0; at < part.length; at += 4096) part[at] = n;`;

/** Starts them. Each ends by itself after `seconds`, should nobody be left to end it. `image`: what containers are made of. */
export async function startHogs(
  counts: HogCounts,
  { image, seconds }: { image: string; seconds: number },
): Promise<Hogs> {
  const folder = await mkdtemp(join(tmpdir(), 'durabench-hogs-'));
  const processes: ChildProcess[] = [];
  const hog = (...command: string[]): void => {
    const limited = ['--signal=KILL', String(seconds), ...command];
    processes.push(spawn('timeout', limited, { detached: true, stdio: 'ignore' }));
  };
  const sessions = Math.min(counts.cpu, counts.sessions || counts.cpu);
  for (let n = 0; n < sessions; n += 1) {
    const ofSession = Math.floor(counts.cpu / sessions) + (n < counts.cpu % sessions ? 1 : 0);
    hog('sh', '-c', 'for each in $(seq "$0"); do (while :; do :; done) & done; wait', String(ofSession));
  }
  for (let n = 0; n < counts.disk; n += 1)
    hog(
      'sh',
      '-c',
      'while :; do dd if=/dev/zero of="$0" bs=1M count=256 conv=fsync 2>/dev/null; rm -f "$0"; done',
      join(folder, `disk-${n}`),
    );
  const heldMiB = Math.round((freemem() / 2 ** 20) * counts.memoryShare);
  if (heldMiB > 0) hog(process.execPath, '-e', TOUCH, String(heldMiB));
  let isOver = false;
  let made = 0;
  const names = Array.from({ length: counts.containers }, (_, n) => `durabench-bench-churn-${process.pid}-${n}`);
  const churn = async (name: string): Promise<void> => {
    while (!isOver) {
      const run = ['run', '--name', name, '--network', 'none', '--tmpfs', '/tmp', image, 'sh', '-c', FILLED];
      await ended(spawn('docker', run, { stdio: 'ignore' }));
      await ended(spawn('docker', ['rm', '--force', name], { stdio: 'ignore' }));
      made += 1;
    }
  };
  const loops = names.map(churn);

  async function end(): Promise<void> {
    isOver = true;
    // The session is the process group: `timeout` and what it started.
    for (const { pid } of processes) if (pid !== undefined) killGroup(pid);
    if (names.length > 0) spawnSync('docker', ['rm', '--force', ...names], { stdio: 'ignore' });
    await Promise.all(loops);
    await rm(folder, { recursive: true, force: true });
  }

  return { containersMade: () => made, end };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function ended(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
}
