import { ARTIFACT_PATH } from '../dataset/artisan-task.js';

/**
 * A script of bash that runs `repro.sh` under strace, and tells what it opened of the artifact among its errors, each file behind the
 * mark. The script may write such lines too: it can add to its trace, and take nothing away. Who ends the tracer, or what reads from it,
 * ends the run as failed. What is opened through io_uring would not be seen, so there is none. Where the engine allows no tracing it runs without.
 * @param mark letters, digits and dashes
 */
export const tracedCommand = (mark: string): string =>
  [
    `strace -qq -f --seccomp-bpf -e trace=none true 2>/dev/null || { echo '${mark} ${UNTRACED}' >&2; exec bash repro.sh; }`,
    `echo '${mark} ${TRACED}' >&2`,
    'exec 3>&2',
    `exec 5> >(exec sed -un "${sedProgram(mark)}" >&3)`,
    'reader=$!',
    `strace -f --seccomp-bpf -qq -y -s 4096 -e trace=open,openat,openat2,execve,io_uring_setup -e inject=io_uring_setup:error=ENOSYS -e signal=none -o /proc/self/fd/5 bash -c '${RUN}'`,
    'code=$?',
    `exec 5>&-; wait $reader || exit ${KILLED}`,
    'exit $code',
  ].join('\n');

/** What it leaves running is ended with it: the tracer waits for every process that it traces. */
const RUN =
  'exec 3>&- 5>&- 4>&2 2>/dev/null; set -m; bash repro.sh 2>&4 4>&- & wait $!; code=$?; kill -9 -- -$!; exit $code';
/** The status of what was killed. */
const KILLED = 137;
/** Said before the script begins, so that it cannot say otherwise. */
const [UNTRACED, TRACED] = ['/untraced', '/traced'];

/** Opened files by the path of the descriptor, programs by their name. */
const sedProgram = (mark: string): string =>
  [
    `s|^.* = [0-9]*<${ARTIFACT_PATH}/\\([^>]*\\)>.*$|${mark} \\1|p`,
    `s|^.*execve(.${ARTIFACT_PATH}/\\([^ ,]*\\).,.* = 0$|${mark} \\1|p`,
  ].join('; ');

/** What a script opened of the artifact, sorted, and its own errors. Null where the engine allowed no tracing. */
export function readTrace(stderr: string, mark: string): { stderr: string; opened: string[] | null } {
  const told: string[] = [];
  const own = stderr.split('\n').flatMap((line) => {
    const at = line.indexOf(`${mark} `);
    if (at < 0) return [line];
    told.push(line.slice(at + mark.length + 1));
    return at === 0 ? [] : [line.slice(0, at)];
  });
  const [first, ...files] = told;
  return { stderr: own.join('\n'), opened: first === TRACED ? [...new Set(files)].sort() : null };
}
