import type Docker from 'dockerode';
import { createCapturedBytes } from '../../../domain/text/captured-bytes.js';
import { execState, waitForEnd, openExec, type ExecEnd } from './exec-stream.js';
import { createReadyLine } from './ready-line.js';

/** One command to run in a container. */
export interface CommandRequest {
  command: readonly string[];
  /** Tar of the files for `/work`. */
  filesTar: Buffer;
  stdin: Buffer;
  cpuSeconds: number;
  outputBytes: number;
  /** Whether what is in `/work` stays. */
  keepsWork?: boolean;
  /** The user of every command when absent. */
  user?: string;
  /** The files are in place and the command starts; with the CPU seconds the container had used before. */
  onReady: (cpuSecondsBefore: number) => void;
}

/**
 * Wipes what an earlier run left, unpacks the files from the first bytes of stdin, says so, and becomes the command. Nothing hostile
 * runs before the line is out, so a first line of stdout that reads so is ours. `head -c` reads not one byte too many. The number in
 * the line is the CPU time the container has used so far, in nanoseconds (cgroup v1, then v2; 0 where neither is visible).
 */
const PRELUDE = `set -e
folders=$3
wipe() { find $folders -mindepth 1 -delete 2>/dev/null; }
wipe || { find $folders -mindepth 1 -type d ! -perm -700 -execdir chmod u+rwx {} \\; 2>/dev/null || true; wipe; }
head -c "$2" | tar -xf - -C /work --no-same-owner
{ read -r used </sys/fs/cgroup/cpuacct/cpuacct.usage; } 2>/dev/null ||
{ read -r _ used </sys/fs/cgroup/cpu.stat && used="$used"000; } 2>/dev/null || used=0
ulimit -S -t "$1"; ulimit -H -t "$(($1 + 2))"
cd /work
shift 3
echo "durabench-ready $used"
exec "$@"`;
/** Runs the command to its end. Killing the container (time limit, abort) ends it too. Errors of Docker are thrown as they come. */
export async function execCommand(
  container: Docker.Container,
  env: Record<string, string>,
  request: CommandRequest,
): Promise<ExecEnd> {
  const stdout = createCapturedBytes(request.outputBytes);
  const stderr = createCapturedBytes(request.outputBytes);
  const ready = createReadyLine(request.onReady, stdout.push);
  const wiped = request.keepsWork === true ? '/tmp /dev/shm' : '/work /tmp /dev/shm';
  const prelude = [String(request.cpuSeconds), String(request.filesTar.length), wiped];
  const command = ['sh', '-c', PRELUDE, 'sandbox', ...prelude, ...request.command];
  const opened = await openExec(
    container,
    { command, env, user: request.user },
    { stdout: ready.push, stderr: stderr.push },
  );
  opened.input.write(request.filesTar);
  opened.input.end(request.stdin);
  const spent = await waitForEnd(opened);
  const exec = await execState(opened.exec);
  const outputs = { stdout: stdout.result(), stderr: stderr.result() };
  return { ready: ready.hasCome(), served: null, exec, ...outputs, spent };
}
