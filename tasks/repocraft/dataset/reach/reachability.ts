import { join } from 'node:path';
import { createBinder } from '../../adaptation/bind.js';
import type { CandidateIndex } from '../../candidate/candidate-index.js';
import type { Json } from '../../../../src/contract/json.js';
import { mountedFiles } from '../../../../src/suite-kit/packed-files.js';
import type { DatasetTools } from '../../../../src/suite/dataset.js';
import { pythonFolder } from '../../python-folder.js';
import type { Draft } from '../describing/drafts.js';
import { pluginsOf } from '../gold-bench.js';
import { chunks } from '../gold-validation.js';
import { readDependencies, readNotOffered, type ProjectSettings } from '../project-settings.js';
import type { RepocraftTask } from '../repocraft-task.js';
import { answerOf, sandboxRun } from '../trusted-python.js';
import { askedBy, type SkeletonSymbol } from './skeletons.js';

/** A task or draft, and what it is known by. */
interface ReachSubject {
  key: string;
  task: Draft;
}

/** Why no other library can be asked: a code of `adapt.py`, or `reach.not-collected`. */
interface Unreached {
  code: string;
  message: string;
}

/** Subjects a container run; each costs an import or two, so that a lost run repeats little. */
const CHUNK = 100;

/**
 * Tries each test on a skeleton: a library of other module names that has what the test itself asks for and nothing else of
 * the reference (`skeletons.ts`). Key → why it cannot be bound to it or is not collected then; null where it can.
 */
export async function reachability(
  project: ProjectSettings,
  reference: CandidateIndex,
  subjects: readonly ReachSubject[],
  tools: Pick<DatasetTools, 'sandbox' | 'suiteFolder' | 'signal'>,
): Promise<Map<string, Unreached | null>> {
  const asked = askedBy(reference, await readNotOffered(project.project, tools.suiteFolder));
  const run = await reachRunner(project, tools);
  const found = new Map<string, Unreached | null>();
  for (const some of chunks(subjects, CHUNK)) {
    const symbols = new Map(some.map(({ key, task }) => [key, asked(task)]));
    const drafts = Object.fromEntries(symbols) as unknown as Json;
    const indexes = (await run('skeletons', { drafts })) as unknown as Record<string, CandidateIndex>;
    const bound: Record<string, Json> = {};
    for (const { key, task } of some) {
      const answer = boundTo(indexes[key], reference, { task, symbols: symbols.get(key) ?? [] });
      if ('code' in answer) found.set(key, answer);
      else bound[key] = answer.draft;
    }
    const imports = (await readDependencies(project.project, tools.suiteFolder)) ?? [];
    const ends = await run('collect', { drafts: bound, imports });
    for (const [key, end] of Object.entries(ends as unknown as Record<string, Unreached | null>)) found.set(key, end);
  }
  return found;
}

/** What is collected of a draft on its skeleton, or why nothing can be. */
function boundTo(
  candidate: CandidateIndex | undefined,
  reference: CandidateIndex,
  { task, symbols }: { task: Draft; symbols: SkeletonSymbol[] },
): Unreached | { draft: Json } {
  if (candidate === undefined) throw new TypeError('a draft without a skeleton');
  const bind = createBinder({ reference, candidate });
  const bound = bind({ task: task as RepocraftTask, voted: null });
  if (bound.kind === 'refused') return bound;
  const bindings = bound.kind === 'renamed' ? bound.bindings : null;
  const { test_code, auxiliary_code, functions, fixtures } = task;
  const draft = {
    ...{ symbols, packages: reference.packages, bindings, test_code, auxiliary_code, functions },
    plugins: pluginsOf(fixtures),
  };
  return { draft: draft as unknown as Json };
}

async function reachRunner(
  project: ProjectSettings,
  tools: Pick<DatasetTools, 'sandbox' | 'suiteFolder' | 'signal'>,
): Promise<(mode: 'skeletons' | 'collect', request: Json) => Promise<Json>> {
  const folders = await Promise.all(
    ['reach', 'candidate'].map((name) => pythonFolder(join(tools.suiteFolder, 'python', name), name)),
  );
  const mount = await mountedFiles(new Map(folders.flatMap((files) => [...files])), '/tool');
  return (mode, request) =>
    answerOf(tools, {
      ...sandboxRun(project, tools, [mount]),
      command: ['python3', '/tool/reach', mode, '/work/request.json'],
      files: { 'request.json': JSON.stringify(request) },
    });
}
