import { runProgram, type ProgramEnd } from '../../../../src/agents/run-program.js';
import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../../src/suite/stage.js';
import { REPOCRAFT_LIMITS } from '../../suite.js';
import { programSettings } from '../agent-settings.js';
import type { Generator } from '../generator.js';
import { leftRepository, REPOSITORY } from '../left-repository.js';
import { purposeOf } from '../purposes.js';

/** Any program that asks an OpenAI-compatible endpoint, as a system: it finds the purpose as files, and leaves `repo`. */
export const commandGenerator: Generator = {
  needsModel: true,
  needsPath: false,
  purposes: ['generate'],
  phase: 'generate',
  description: 'a program of your own, in an image with its model behind a door',
  provenance: 'generated',
  options: ['image', 'command', 'wall_seconds', 'purpose'],
  stepName: 'program',
  make: async (context) => {
    const { image, command, wall_seconds: wallSeconds } = programSettings.parse(context.system.options);
    const model = context.system.purposes['generate'] ?? context.system.model;
    if (model === null) throw new DomainFailure('harness.bug', `system ${context.system.id} has no model`);
    const end = await runProgram(context, {
      ...{ image, command, model, wallSeconds, prompt: 'command.v1', mounts: [], take: [REPOSITORY] },
      files: filesOf(context),
      limits: REPOCRAFT_LIMITS.agent,
    });
    await keepLog(context, end);
    checkBegun(end, { image, command });
    const left = leftRepository(end.result.taken);
    return { ...left, note: [left.note, endOf(end), callsOf(end)].filter((part) => part !== null).join('; ') };
  },
};

/** All that a program is told; nothing of tests, the reference or other trials. */
function filesOf(context: StageContext): Record<string, string> {
  const { title, text, dependencies } = purposeOf(context);
  return {
    'PURPOSE.md': `# ${title}\n\n${text}\n\nIt has to run on Python 3.11. The library is one package at the top of the repository, which is the folder \`${REPOSITORY}\` beside this file.\n`,
    'DEPENDENCIES.txt': dependencies.map((name) => `${name}\n`).join(''),
  };
}

async function keepLog(context: StageContext, { result: { stdout, stderr } }: ProgramEnd): Promise<void> {
  const log = Buffer.concat([stdout.bytes, Buffer.from('\n--- error output ---\n'), stderr.bytes]);
  await context.attach(log, { name: 'program.log', mediaType: 'text/plain' });
}

/** The shell's status of a program that is not there, or cannot be run. */
const NOT_RUN: readonly (number | null)[] = [126, 127];

/** @throws DomainFailure `candidate.missing` where the image has no such program: nobody has tried anything */
function checkBegun({ result, calls }: ProgramEnd, { image, command }: { image: string; command: string[] }): void {
  const asked = calls.asked + calls.replayed + calls.refused;
  const hasLeft = Object.keys(result.taken?.files ?? {}).length > 0;
  if (!NOT_RUN.includes(result.exitCode) || asked > 0 || hasLeft) return;
  throw new DomainFailure('candidate.missing', {
    message: `the image ${image} cannot run ${command[0]}: ${result.stderr.bytes.toString('utf8').trim().slice(0, 200)}`,
    expected: 'a program of the image, by its name in PATH or its absolute path',
    fix: 'correct options.command, or add the program to the recipe: npx durabench run FILE --revises ID',
  });
}

function endOf({ result, ended }: ProgramEnd): string | null {
  if (ended === 'money') return 'its budget is spent';
  if (ended === 'seconds') return 'its time is over';
  if (result.outOfMemory) return 'out of memory';
  if (result.timedOut) return `killed at its ${result.timeLimit} limit`;
  return result.exitCode === 0 ? null : `exit status ${result.exitCode}`;
}

const callsOf = ({ calls: { asked, replayed, refused } }: ProgramEnd): string =>
  `${asked} new calls, ${replayed} replayed, ${refused} refused`;
