import { checkProgramBegun, keepProgramLog, programEndText } from '../../../../src/agents/program-end.js';
import { runProgram } from '../../../../src/agents/run-program.js';
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
    await keepProgramLog(context, end);
    checkProgramBegun(end, { image, command });
    const left = leftRepository(end.result.taken);
    return { ...left, note: [left.note, programEndText(end)].filter((part) => part !== null).join('; ') };
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
