import type { CampaignLock, CampaignSpec, SystemSpec } from '../../contract/campaign.js';
import type { JsonObject } from '../../contract/json.js';
import type { DatasetSelection, TaskSummary } from '../../contract/task.js';
import type { BatchPhase, CampaignPlan, PlannedBatch, PlannedTrial } from '../../contract/plan.js';
import { idProblem, recordId } from './ids.js';
import { LONGEST_TRIAL_ID } from './temporal-names.js';

/** Most trials that may share one candidate, and so one batch: its history stays near 4,300 events. */
const MAX_SHARED_BATCH = 500;
/** Most trials of a batch whose trials make their own candidates. */
const MAX_CHUNK = 200;
/** Trials of a campaign; ten times what commands are measured to answer quickly for. */
export const MAX_TRIALS = 1_000_000;

/** What expanding a plan needs of a suite. */
export interface PlanningSuite {
  generators: Record<string, { phase: BatchPhase }>;
  generationSettings?(spec: CampaignSpec, system: SystemSpec, scope: string): JsonObject;
  trialSettings(spec: CampaignSpec, system: SystemSpec, task: TaskSummary): JsonObject;
}

/**
 * The whole plan of a campaign: systems x tasks x repeats as trials, grouped into batches. Pure: the same input gives
 * the same plan, in the order of the file (systems), the repeats and the dataset (tasks).
 * @throws RangeError where there are more than {@link MAX_TRIALS} trials, a candidate is shared by more than {@link MAX_SHARED_BATCH} tasks or an id gets too long
 */
export function expandPlan(input: {
  id: string;
  spec: CampaignSpec;
  lock: CampaignLock;
  dataset: DatasetSelection;
  suite: PlanningSuite;
}): CampaignPlan {
  const { id, spec, lock, dataset } = input;
  checkTasks(dataset);
  const trials = dataset.tasks.length * spec.systems.length * spec.repeats;
  if (trials > MAX_TRIALS) throw new RangeError(`${trials} trials are more than the ${MAX_TRIALS} of one campaign`);
  const groups = spec.systems.flatMap((system) => repeatsOf(spec).flatMap((repeat) => groupsOf(input, system, repeat)));
  const batches = groups.map((group, index): PlannedBatch => ({ id: recordId.batch(id, index + 1), ...group }));
  return { id, spec, lock, dataset, batches };
}

/** How many trials a plan has. */
export function trialCount(plan: CampaignPlan): number {
  return plan.batches.reduce((sum, batch) => sum + batch.trials.length, 0);
}

function repeatsOf(spec: CampaignSpec): number[] {
  return Array.from({ length: spec.repeats }, (_, index) => index + 1);
}

type BatchBody = Omit<PlannedBatch, 'id'>;

/** The batches of one system and repeat: one per shared candidate, then chunks of the tasks that share none. */
function groupsOf(input: Parameters<typeof expandPlan>[0], system: SystemSpec, repeat: number): BatchBody[] {
  const { id, spec, dataset, suite } = input;
  const phase = suite.generators[system.generator]?.phase ?? 'generate';
  const trial = (task: TaskSummary): PlannedTrial => ({
    id: checkedTrialId(recordId.trial(id, task.id, system.id, repeat)),
    taskId: task.id,
    systemId: system.id,
    repeat,
    settings: suite.trialSettings(spec, system, task),
  });
  const shared = [...scopesOf(dataset.tasks)].map(([scope, tasks]): BatchBody => {
    if (tasks.length > MAX_SHARED_BATCH)
      throw new RangeError(`${tasks.length} tasks of ${scope} share one candidate; at most ${MAX_SHARED_BATCH} may`);
    const generation = {
      id: recordId.generation(id, system.id, scope, repeat),
      systemId: system.id,
      scope,
      repeat,
      settings: suite.generationSettings?.(spec, system, scope) ?? {},
    };
    return { phase, generation, trials: tasks.map(trial) };
  });
  const alone = dataset.tasks.filter((task) => task.candidateScope === null).map(trial);
  const chunks = Array.from({ length: Math.ceil(alone.length / MAX_CHUNK) }, (_, n): BatchBody => {
    return { phase, generation: null, trials: alone.slice(n * MAX_CHUNK, (n + 1) * MAX_CHUNK) };
  });
  return [...shared, ...chunks];
}

function scopesOf(tasks: readonly TaskSummary[]): Map<string, TaskSummary[]> {
  const scopes = new Map<string, TaskSummary[]>();
  for (const task of tasks) {
    if (task.candidateScope === null) continue;
    scopes.set(task.candidateScope, [...(scopes.get(task.candidateScope) ?? []), task]);
  }
  return scopes;
}

function checkTasks(dataset: DatasetSelection): void {
  const seen = new Set<string>();
  for (const task of dataset.tasks) {
    const problem = idProblem(task.id, 80) ?? (seen.has(task.id) ? 'is there twice' : undefined);
    if (problem !== undefined) throw new RangeError(`task id "${task.id}" of ${dataset.label} ${problem}`);
    seen.add(task.id);
  }
}

function checkedTrialId(id: string): string {
  if (id.length > LONGEST_TRIAL_ID)
    throw new RangeError(
      `the id ${id} is longer than ${LONGEST_TRIAL_ID} characters; shorten the campaign's name or the system's id`,
    );
  return id;
}
