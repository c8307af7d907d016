import { DomainFailure } from '../domain/failure/domain-failure.js';
import type { StageContext } from '../suite/stage.js';
import type { ProgramEnd } from './run-program.js';

/** Keeps what a program printed, as evidence. */
export async function keepProgramLog(context: StageContext, { result: { stdout, stderr } }: ProgramEnd): Promise<void> {
  const log = Buffer.concat([stdout.bytes, Buffer.from('\n--- error output ---\n'), stderr.bytes]);
  await context.attach(log, { name: 'program.log', mediaType: 'text/plain' });
}

/** The shell's status of a program that is not there, or cannot be run. */
const NOT_RUN: readonly (number | null)[] = [126, 127];

/** @throws DomainFailure `candidate.missing` where the image has no such program: nobody has tried anything */
export function checkProgramBegun(
  { result, calls }: ProgramEnd,
  { image, command }: { image: string; command: readonly string[] },
): void {
  const asked = calls.asked + calls.replayed + calls.refused;
  const hasLeft = Object.keys(result.taken?.files ?? {}).length > 0;
  if (!NOT_RUN.includes(result.exitCode) || asked > 0 || hasLeft) return;
  throw new DomainFailure('candidate.missing', {
    message: `the image ${image} cannot run ${command[0]}: ${result.stderr.bytes.toString('utf8').trim().slice(0, 200)}`,
    expected: 'a program of the image, by its name in PATH or its absolute path',
    fix: 'correct options.command, or add the program to the recipe: npx durabench run FILE --revises ID',
  });
}

/** How a program ended and what it asked, in words. */
export const programEndText = (end: ProgramEnd): string =>
  [endOf(end), callsOf(end)].filter((part) => part !== null).join('; ');

function endOf({ result, ended }: ProgramEnd): string | null {
  if (ended === 'money') return 'its budget is spent';
  if (ended === 'seconds') return 'its time is over';
  if (result.outOfMemory) return 'out of memory';
  if (result.timedOut) return `killed at its ${result.timeLimit} limit`;
  return result.exitCode === 0 ? null : `exit status ${result.exitCode}`;
}

const callsOf = ({ calls: { asked, replayed, refused } }: ProgramEnd): string =>
  `${asked} new calls, ${replayed} replayed, ${refused} refused`;
