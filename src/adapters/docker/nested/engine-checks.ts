import { hostPaths, type HardeningCheck } from '../sandbox/hardening-checks.js';

/** Capabilities that Docker gives any container, as bits. */
const USUAL = 0xa80425fbn;
/** Those that an engine needs beside them: NET_ADMIN, SYS_PTRACE, SYS_ADMIN. */
const OF_ENGINES = (1n << 12n) | (1n << 19n) | (1n << 21n);

/** Variables of the image and of the engine; anything else came from somewhere it must not come from. */
const ENVIRONMENT = /^(PATH|HOME|HOSTNAME|PWD|OLDPWD|SHLVL|_|TERM|TZ|LANG|LC_[A-Z]+|DOCKER_HOST|DEBIAN_FRONTEND)$/;
/** The disk of the engine, and the images it begins with. */
const ENGINE_VOLUMES = /^\/(var\/lib\/docker|image-set)(\/|$)/;

const nothing = (lines: readonly string[]): boolean => lines.length === 0;
const each = (wanted: string) => (lines: readonly string[]) =>
  lines.length > 0 && lines.every((line) => line === wanted);
const within = (allowed: bigint) => (lines: readonly string[]) =>
  lines.length > 0 && lines.every((line) => (BigInt(`0x${line}`) & ~allowed) === 0n);

/** What holds of a container with an engine of its own, and of the jobs on that engine: one row each, by the facts of `probe.py`. */
export const ENGINE_CHECKS: readonly HardeningCheck[] = [
  { check: 'a job runs on it', fact: 'job', holds: (lines) => lines.length === 2 && each('done')(lines) },
  { check: 'no interface but its own', fact: 'slot-interface', holds: nothing },
  { check: 'no route out', fact: 'slot-route', holds: nothing },
  { check: 'reaches no service of this machine', fact: 'slot-reached', holds: nothing },
  { check: 'a job reaches no service of this machine, nor of another engine', fact: 'job-reached', holds: nothing },
  { check: 'no disk of the machine', fact: 'slot-device', holds: nothing },
  { check: 'no disk of the machine for a job', fact: 'job-device', holds: nothing },
  { check: 'no socket of the host', fact: 'slot-socket', holds: nothing },
  { check: 'no socket of an engine for a job', fact: 'job-socket', holds: nothing },
  { check: 'no capabilities but those of engines', fact: 'slot-capabilities', holds: within(USUAL | OF_ENGINES) },
  { check: 'a job has the usual capabilities at most', fact: 'job-capabilities', holds: within(USUAL) },
  { check: 'no new privileges', fact: 'slot-privileges', holds: each('1') },
  { check: 'a privileged container is refused', fact: 'privileged', holds: each('refused') },
  {
    check: 'its memory limit holds for jobs that have none',
    fact: 'memory',
    // Killed by the kernel, as Docker tells it.
    holds: each('ended with 137'),
  },
  {
    check: 'its limit of processes holds for jobs that have none',
    fact: 'processes',
    holds: ([line = ''], { pids }) => Number(line) > 0 && Number(line) < pids,
  },
  {
    check: 'no path of the host',
    fact: 'slot-mount',
    holds: (lines) => lines.length > 0 && foreign(lines).length === 0,
    shown: (lines) => foreign(lines).join(', '),
  },
  {
    check: 'no variable of the worker',
    fact: 'slot-environment',
    holds: (lines) => lines.length > 0 && lines.every((name) => ENVIRONMENT.test(name)),
    shown: (lines) => lines.join(' '),
  },
];

const foreign = (lines: readonly string[]): string[] => hostPaths(lines).filter((path) => !ENGINE_VOLUMES.test(path));
