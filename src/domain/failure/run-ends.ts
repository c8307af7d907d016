import type { RunEvidence } from '../../contract/run-evidence.js';

/** What the evidence of a run means: its command ended by itself, a limit ended it, or nobody can tell and it is to be run again. */
export type RunEnd =
  { kind: 'exited'; status: number } | { kind: 'cpu' | 'wall' | 'memory' } | { kind: 'lost'; message: string };

/** A signal is reported as 128 + its number: SIGKILL and SIGXCPU. */
export const KILLED = 137;
const CPU_LIMIT_REACHED = 152;

interface EndRule {
  holds: (evidence: RunEvidence, status: number | null) => boolean;
  means: (status: number) => RunEnd;
}

const lost =
  (message: string): EndRule['means'] =>
  () => ({ kind: 'lost', message });

/**
 * Every combination has a meaning: the first row that holds. A status that was told comes before whatever was done to the container,
 * for a command may end by itself while this process is too busy to hear of it. What only the engine or this process can have caused
 * is `lost`; what a command can cause by itself (it ended what serves it, took all memory, slept) never is.
 */
const END_TABLE: readonly EndRule[] = [
  {
    holds: ({ killed }) => killed === 'unready',
    means: lost('a run could not be made ready in its container in time'),
  },
  { holds: ({ ready }) => !ready, means: lost('a run could not be made ready in its container') },
  { holds: (_, status) => status === CPU_LIMIT_REACHED, means: () => ({ kind: 'cpu' }) },
  {
    holds: (_, status) => status !== null && status !== KILLED,
    means: (status) => ({ kind: 'exited', status }),
  },
  {
    // Also where it was waited for until the wall limit.
    holds: ({ served, killed }, status) =>
      (status === null || killed !== null) && (served?.stdout ?? served?.stderr ?? null) !== null,
    means: lost('only one output of a run came to its end'),
  },
  {
    holds: ({ killed }) => killed === 'stalled',
    means: lost('this process stood still while the wall limit of its command passed'),
  },
  {
    holds: ({ killed }) => killed === 'starved',
    means: lost('the machine was too busy for the command to use the time of its wall limit'),
  },
  { holds: ({ killed }) => killed === 'size', means: () => ({ kind: 'exited', status: KILLED }) },
  { holds: ({ killed }) => killed === 'wall', means: () => ({ kind: 'wall' }) },
  {
    holds: wasKilledForTheMachine,
    means: lost('the kernel ended the command for want of memory outside its container'),
  },
  {
    holds: ({ container, memory }) => container?.outOfMemory === true || (memory?.kills ?? 0) > 0,
    means: () => ({ kind: 'memory' }),
  },
  {
    holds: ({ container }) => container?.running !== true,
    means: lost('the container ended while a command ran in it'),
  },
  { holds: (_, status) => status === KILLED, means: (status) => ({ kind: 'exited', status }) },
  { holds: () => true, means: lost('the engine did not tell how the command ended') },
];

/** What the evidence of a run means. Pure, and defined for every combination. */
export function endOf(evidence: RunEvidence): RunEnd {
  const status = statusOf(evidence);
  const rule = END_TABLE.find(({ holds }) => holds(evidence, status));
  if (rule === undefined) throw new TypeError('the table of ends has a row for everything');
  return rule.means(status ?? 0);
}

/**
 * The exit status of the command, where it was told. A fork server tells it on both outputs, or has ended before it could: then its
 * own status stands for the command's. It ends with 0 only after it has told, so a 0 without the lines says that they were lost.
 */
export function statusOf({ served, exec }: Pick<RunEvidence, 'served' | 'exec'>): number | null {
  if (served !== null && served.stdout !== null && served.stdout === served.stderr) return served.stdout;
  const ended = exec === null || exec.running ? null : exec.exitCode;
  return served !== null && ended === 0 ? null : ended;
}

/** A container that has never reached its own limit had memory left: the machine had none. */
function wasKilledForTheMachine({ memory }: RunEvidence): boolean {
  return memory !== null && memory.kills > 0 && memory.limitReached === false;
}
