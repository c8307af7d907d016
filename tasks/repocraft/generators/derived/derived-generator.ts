import type { StageContext } from '../../../../src/suite/stage.js';
import { readLock } from '../../dataset/lock/dataset-lock.js';
import { readProjectSettings } from '../../dataset/project-settings.js';
import type { RepocraftTask } from '../../dataset/repocraft-task.js';
import { selectTasks, type TaskChoice } from '../../dataset/select-tasks.js';
import { lockedTasks } from '../../dataset/task-blobs.js';
import type { Generator } from '../generator.js';
import { deriveLibrary } from './derive-library.js';
import { deriveSettings } from './derive-settings.js';
import { expectations } from './expectations.js';
import { rememberNames, TRUTH_FILE, type Truth } from './truth.js';

/** The reference, changed in a known way: who grades the graders (docs/concepts/calibration.md). */
export const derivedGenerator: Generator = {
  needsModel: false,
  needsPath: false,
  phase: 'grade',
  description: 'the reference changed in a known way, to measure the graders (`durabench calibrate`)',
  provenance: 'generated',
  options: ['derive'],
  stepName: 'derive',
  make: async (context, project) => {
    const settings = deriveSettings(context.system);
    const { version } = context.campaign.spec.dataset as TaskChoice;
    const own = await readProjectSettings(project, context.suiteFolder);
    // All tasks of the project decide what is altered, so that a sample of them meets the same candidate.
    const tasks = await lockedTasks(context.blobs, await readLock(project, context.suiteFolder, version));
    const library = await deriveLibrary(context, own, { settings, tasks });
    const selected = await selectedTasks(context, tasks);
    const { names, altered, candidate, note } = library;
    await rememberNames(context.blobs, candidate.sha256, names);
    const expected = await expectations(context, own, { library, kind: settings.kind, tasks: selected });
    const { kind, word, seed } = settings;
    const truth: Truth = { project, kind, word, seed, names, altered, tasks: expected };
    await context.attach(JSON.stringify(truth), { name: TRUTH_FILE, mediaType: 'application/json' });
    return { content: candidate, note };
  },
};

/** Those the campaign grades. */
async function selectedTasks(context: StageContext, tasks: readonly RepocraftTask[]): Promise<RepocraftTask[]> {
  const { spec } = context.campaign;
  const selection = await selectTasks(spec.dataset, spec.seed, context.suiteFolder);
  const chosen = new Set(selection.tasks.map(({ id }) => id));
  return tasks.filter(({ id }) => chosen.has(id));
}
