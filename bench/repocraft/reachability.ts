/**
 * How many tasks a library could pass that is not the reference: each is tried on a skeleton of what its test asks for, in
 * modules of other names (`dataset/reach/reachability.ts`).
 *
 *   durabench dataset fetch repocraft && npx tsx bench/repocraft/reachability.ts [--project NAMES] [--state FOLDER] [--why]
 *
 * `--why` prints each task that is out of reach, with its code.
 */
import { parseArgs } from 'node:util';
import { parseReference } from '../../tasks/repocraft/candidate/reference-candidate.js';
import { readJsonBlob } from '../../src/suite-kit/json-blobs.js';
import type { CandidateIndex } from '../../tasks/repocraft/candidate/candidate-index.js';
import { readLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { BENCHMARK_PROJECTS, readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import { reachability } from '../../tasks/repocraft/dataset/reach/reachability.js';
import { lockedTasks } from '../../tasks/repocraft/dataset/task-blobs.js';
import { createRepocraftTools } from './repocraft-tools.js';

const { values } = parseArgs({
  options: {
    project: { type: 'string', default: BENCHMARK_PROJECTS.join(',') },
    state: { type: 'string', default: '.durabench' },
    why: { type: 'boolean', default: false },
  },
});
const tools = createRepocraftTools({ state: values.state, owner: 'reachability' });
console.log('| project | tasks | reachable | share |');
console.log('| --- | --- | --- | --- |');
try {
  for (const project of values.project.split(',')) await measure(project);
} finally {
  await tools.sandbox.close();
}

async function measure(project: string): Promise<void> {
  const lock = await readLock(project, tools.suiteFolder);
  const tasks = await lockedTasks(tools.blobs, lock);
  const { sha256 } = await parseReference(tools, project);
  const settings = await readProjectSettings(project, tools.suiteFolder);
  const reference = await readJsonBlob<CandidateIndex>(tools.blobs, sha256);
  const subjects = tasks.map((task) => ({ key: task.id, task }));
  const found = await reachability(settings, reference, subjects, tools);
  const out = tasks.flatMap((task) => {
    const why = found.get(task.id) ?? null;
    return why === null ? [] : [{ task, why }];
  });
  const share = ((100 * (tasks.length - out.length)) / tasks.length).toFixed(1);
  console.log(`| ${project} | ${tasks.length} | ${tasks.length - out.length} | ${share} % |`);
  if (values.why) for (const { task, why } of out) console.log(`${task.id}: ${why.code}: ${why.message}`);
}
