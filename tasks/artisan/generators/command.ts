import { checkProgramBegun, keepProgramLog, programEndText } from '../../../src/agents/program-end.js';
import { runProgram } from '../../../src/agents/run-program.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { loadPrompt } from '../../../src/suite-kit/load-prompt.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import { artifactMount } from '../runs/run-script.js';
import { optionsOf } from '../settings.js';
import { ARTISAN_LIMITS } from '../suite.js';
import type { MadeScript } from './made-script.js';
import { fileList, taskValues } from './task-text.js';

const SCRIPT = 'repro.sh';

/** What a program of somebody's own leaves: it finds its task as a file, the artifact as the judge mounts it, and a model behind a door. */
export async function programScript(task: ArtisanTask, context: StageContext): Promise<MadeScript> {
  const { image, command, wall_seconds: wallSeconds } = optionsOf(context.system);
  const model = context.system.purposes['generate'] ?? context.system.model;
  if (model === null || image === undefined || command === undefined)
    throw new DomainFailure('harness.bug', `system ${context.system.id} was planned without model, image or command`);
  const values = { ...taskValues(task), files: fileList(task) };
  const { id: prompt, messages } = await loadPrompt(context.suiteFolder, 'command.v2', values);
  const end = await runProgram(context, {
    ...{ image, command, model, wallSeconds, prompt: `${prompt} ${task.id}`, take: [SCRIPT] },
    files: { 'TASK.md': `${messages.map(({ content }) => content).join('\n\n')}\n` },
    mounts: [artifactMount(task.artifacts.whole.sha256, context.blobs)],
    limits: ARTISAN_LIMITS.program,
  });
  await keepProgramLog(context, end);
  checkProgramBegun(end, { image, command });
  const script = end.result.taken?.files[SCRIPT];
  const note = programEndText(end);
  return script === undefined
    ? { script: new Uint8Array(), note: `there is no ${SCRIPT} in its folder; ${note}` }
    : { script, note };
}
