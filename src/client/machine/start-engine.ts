import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastLines } from '../../stack/supervisor/child-log.js';
import type { Detached, Host } from './host.js';

/** A busy machine takes minutes. The daemon's answer or its end is what ends the wait: this long is a hang. */
const HANG_MS = 600_000;
const POLL_MS = 500;
/** What a daemon of before left may need to go. */
const SECOND_TRY_MS = 5_000;

/** How the daemon is started and what tells that it serves. */
export interface EngineStart {
  command: readonly string[];
  logFile: string;
  /** Files with the number of a process, and the program that would be it. */
  pidFiles: readonly { file: string; program: string }[];
  answers: () => Promise<boolean>;
}

/** The Docker daemon of this machine. */
export const MACHINE_ENGINE = {
  command: ['dockerd'],
  pidFiles: [
    { file: '/var/run/docker.pid', program: 'dockerd' },
    { file: '/var/run/docker/containerd/containerd.pid', program: 'containerd' },
  ],
} as const;

/** Starts the daemon detached and waits until it serves; once more where it ends. @returns why it does not serve, or null */
export async function startEngine(host: Pick<Host, 'startDetached'>, start: EngineStart): Promise<string | null> {
  const first = await startOnce(host, start);
  if (first === null) return null;
  await sleep(SECOND_TRY_MS);
  return startOnce(host, start);
}

async function startOnce(
  host: Pick<Host, 'startDetached'>,
  { command, logFile, pidFiles, answers }: EngineStart,
): Promise<string | null> {
  for (const { file, program } of pidFiles) await removeStalePidFile(file, program);
  const daemon = host.startDetached(command, logFile);
  const end = await untilServing(daemon, answers);
  return end === 'serves' ? null : `${command[0]} ${end}; it said last: ${lastLines(logFile, 3).join(' / ')}`;
}

async function untilServing(daemon: Detached, answers: () => Promise<boolean>): Promise<string> {
  const hangsAt = Date.now() + HANG_MS;
  while (Date.now() < hangsAt) {
    if (await answers()) return 'serves';
    if (daemon.hasEnded()) return 'ended';
    await sleep(POLL_MS);
  }
  process.kill(daemon.pid);
  return 'did not serve for ten minutes';
}

/**
 * A daemon that was killed leaves its pid files. Docker takes the number in one for a running process even when that
 * process is a zombie or another program by now, and then starts neither containerd nor itself.
 */
export async function removeStalePidFile(file: string, program: string): Promise<void> {
  const pid = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (pid === '') return;
  const [name, status] = await Promise.all(
    ['comm', 'status'].map((fact) => readFile(`/proc/${pid}/${fact}`, 'utf8').catch(() => '')),
  );
  if (name?.trim() !== program || /^State:\s*Z/m.test(status ?? '')) await rm(file, { force: true });
}
