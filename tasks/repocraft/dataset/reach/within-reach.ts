import { join } from 'node:path';
import { parseCandidate } from '../../candidate/parse-candidate.js';
import type { CandidateIndex } from '../../candidate/candidate-index.js';
import { jsonHash, sha256Hex } from '../../../../src/domain/text/content-hash.js';
import { readJsonBlob } from '../../../../src/suite-kit/json-blobs.js';
import type { DatasetTools } from '../../../../src/suite/dataset.js';
import { pythonFolder } from '../../python-folder.js';
import { subjectsOf, type Drafts } from '../describing/drafts.js';
import type { ProjectSettings } from '../project-settings.js';
import { readNotOffered } from '../project-settings.js';
import { reachability } from './reachability.js';

type ReachTools = Pick<DatasetTools, 'blobs' | 'sandbox' | 'suiteFolder' | 'signal' | 'onProgress'>;

/**
 * The drafts another library can be asked, each tried on a skeleton of what it asks for (`reachability.ts`). The others
 * are dropped under the rule `unreachable`, with the reason.
 * @param reference blob of the reference's packages
 */
export async function withinReach(
  project: ProjectSettings,
  { plan, reference }: { plan: Drafts; reference: string },
  tools: ReachTools,
): Promise<Drafts> {
  const index = await indexOf(project, reference, tools);
  tools.onProgress(`trying ${plan.drafts.length} drafts of ${project.project} on skeletons`);
  const subjects = subjectsOf(plan);
  const found = await reachability(project, index, subjects, tools);
  const dropped = { ...plan.dropped };
  const drafts = subjects.flatMap(({ key, task }) => {
    const why = found.get(key);
    if (!why) return [task];
    const reason = { rule: 'unreachable', detail: `${why.code}: ${why.message}` };
    for (const name of task.functions) dropped[`${task.source.file}::${name}`] = reason;
    return [];
  });
  return { ...plan, drafts, dropped };
}

/** What decides whether a draft is within reach, beside the draft: its answers are remembered under it. */
export async function reachDigest(project: ProjectSettings, suiteFolder: string): Promise<string> {
  const folders = ['reach', 'candidate'].map((name) => pythonFolder(join(suiteFolder, 'python', name), name));
  const files = (await Promise.all(folders)).flatMap((files) => [...files]);
  const notOffered = await readNotOffered(project.project, suiteFolder);
  const hashes = files.map(([path, bytes]) => [path, sha256Hex(bytes)]).sort();
  return jsonHash({ hashes, notOffered: notOffered?.source ?? null });
}

async function indexOf(project: ProjectSettings, reference: string, tools: ReachTools): Promise<CandidateIndex> {
  const context = {
    ...tools,
    campaign: { id: 'dataset' },
    owner: { id: `repocraft/${project.project}` },
    heartbeat: () => undefined,
  };
  const label = { sha256: reference, sizeBytes: 0, files: 0, provenance: 'reference' } as const;
  const { sha256 } = await parseCandidate(context, label);
  return readJsonBlob<CandidateIndex>(tools.blobs, sha256);
}
