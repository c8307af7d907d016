import type { CampaignSpec, SystemSpec } from '../../../src/contract/campaign.js';
import type { OfflineTools } from '../../../src/suite/calibration.js';
import { readLock } from '../dataset/lock/dataset-lock.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import { selectTasks } from '../dataset/select-tasks.js';
import { lockedTasks } from '../dataset/task-blobs.js';
import { deriveSettings } from '../generators/derived/derive-settings.js';
import { gradeTaskOffline } from './offline-task.js';
import { gradeCandidateOffline, type OfflineContext, type OfflineCandidate } from './offline-candidate.js';
import type { TrialFacts } from './trial-facts.js';

/** Tasks at once: each waits for a container most of its time. */
const AT_ONCE = 4;

/**
 * What a calibration's campaign would find of every task up to its adaptation, by the stages' own functions, in this
 * process: no trial is recorded and no test is run. Voters are rules; models are asked in campaigns only.
 */
export async function factsWithoutExecution(spec: CampaignSpec, tools: OfflineTools): Promise<TrialFacts[]> {
  const heartbeat = (): void => undefined;
  const context = { ...tools, campaign: { id: 'calibration' }, owner: { id: 'calibration' }, heartbeat };
  const { tasks, version } = await selectTasks(spec.dataset, spec.seed, tools.suiteFolder);
  const facts: TrialFacts[] = [];
  for (const project of new Set(tasks.map(({ group }) => group))) {
    const all = await lockedTasks(tools.blobs, await readLock(project, tools.suiteFolder, version));
    const chosen = new Set(tasks.map(({ id }) => id));
    const selected = all.filter(({ id }) => chosen.has(id));
    for (const [key, systems] of byCandidate(spec)) {
      const candidate = await gradeCandidateOffline(context, { project, settings: deriveSettings(key), tasks: all });
      tools.onProgress(`${project} ${candidate.settings.word}: ${candidate.index.entries.length} entries`);
      facts.push(...(await judged(context, { spec, systems, candidate, tasks: selected })));
    }
  }
  return facts;
}

/** Systems that differ in their voter alone share a candidate. */
function byCandidate({ systems }: CampaignSpec): [SystemSpec, SystemSpec[]][] {
  const groups = new Map<string, [SystemSpec, SystemSpec[]]>();
  for (const system of systems) {
    const key = JSON.stringify(system.options.derive);
    const group = groups.get(key) ?? [system, []];
    group[1].push(system);
    groups.set(key, group);
  }
  return [...groups.values()];
}

async function judged(
  context: OfflineContext,
  asked: {
    spec: CampaignSpec;
    systems: readonly SystemSpec[];
    candidate: OfflineCandidate;
    tasks: readonly RepocraftTask[];
  },
): Promise<TrialFacts[]> {
  const { tasks, ...rest } = asked;
  const facts: TrialFacts[] = [];
  for (let start = 0; start < tasks.length; start += AT_ONCE) {
    const slice = tasks.slice(start, start + AT_ONCE);
    facts.push(...(await Promise.all(slice.map((task) => gradeTaskOffline(context, { task, ...rest })))).flat());
  }
  return facts;
}
