/**
 * Whether grading agrees with plain pytest where a candidate is what tests were written for: an older release of the project,
 * graded by a campaign, beside its tests as they are, run on that release in the same image. Every disagreement is printed.
 *
 *   durabench grade requests-2.31.0-py3-none-any.whl --project requests --limit 24
 *   durabench show CAMPAIGN --json > shown.json
 *   npx tsx bench/repocraft/old-releases.ts --project requests --release requests-2.31.0-py3-none-any.whl --shown shown.json [--state .durabench]
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { packFiles } from '../../src/suite-kit/packed-files.js';
import { sizeProblem } from '../../src/suite-kit/snapshot/candidate-limits.js';
import { readZipEntries } from '../../src/suite-kit/zip-entries.js';
import { createGoldBench } from '../../tasks/repocraft/dataset/gold-bench.js';
import { runAlone } from '../../tasks/repocraft/dataset/gold-validation.js';
import { readLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { readProjectSettings } from '../../tasks/repocraft/dataset/project-settings.js';
import { lockedTasks, referenceFiles } from '../../tasks/repocraft/dataset/task-blobs.js';
import { createRepocraftTools } from './repocraft-tools.js';

const { values } = parseArgs({
  options: {
    project: { type: 'string' },
    release: { type: 'string' },
    shown: { type: 'string' },
    state: { type: 'string', default: '.durabench' },
  },
});
const { project = '', release = '', shown = '' } = values;
const { trial_rows: rows } = JSON.parse(await readFile(shown, 'utf8')) as {
  trial_rows: { task: string; outcome: string | null; reason: string | null; message: string | null }[];
};
const tools = createRepocraftTools({ state: values.state, owner: 'old-releases' });
try {
  const own = await readProjectSettings(project, tools.suiteFolder);
  const tasks = await lockedTasks(tools.blobs, await readLock(project, tools.suiteFolder));
  const { blob, load } = await library(own);
  const bench = await createGoldBench(own, { sha256: blob, load }, tools);
  const keyOf = (id: string): string => `t${id.replaceAll(/\W/g, '_')}`;
  const graded = new Set(rows.map(({ task }) => task));
  const subjects = tasks.filter(({ id }) => graded.has(id)).map((task) => ({ key: keyOf(task.id), task }));
  const plain = await alone(() => runAlone(bench, subjects, () => undefined));
  const counts = { both: 0, neither: 0, onlyGraded: 0, onlyPytest: 0 };
  const differing: string[] = [];
  for (const { task, outcome, reason, message } of rows) {
    const found = plain.get(keyOf(task));
    const [passed, passes] = [outcome === 'passed', found?.outcome === 'passed'];
    counts[passed ? (passes ? 'both' : 'onlyGraded') : passes ? 'onlyPytest' : 'neither'] += 1;
    const said = found?.reason.trim().split('\n').at(-1) ?? '';
    if (passed !== passes)
      differing.push(
        `${task}: graded ${outcome ?? 'not'} (${reason ?? ''} ${message ?? ''}), pytest ${found?.outcome ?? ''} ${said}`,
      );
  }
  const { both, neither, onlyGraded, onlyPytest } = counts;
  console.log(
    `| ${[own.pin.name, release.split('/').at(-1), rows.length, both, neither, onlyGraded, onlyPytest].join(' | ')} |`,
  );
  for (const line of differing) console.log(line);
} finally {
  await tools.sandbox.close();
}

/** What pytest says of each; of a release that cannot be imported there, that none passes. */
async function alone<Outcomes>(run: () => Promise<Map<string, Outcomes>>): Promise<Map<string, Outcomes>> {
  try {
    return await run();
  } catch (error) {
    const missing = /ModuleNotFoundError: .*/.exec((error as Error).message);
    if (missing === null) throw error;
    console.log(`not imported, so that no test passes: ${missing[0]}`);
    return new Map();
  }
}

/** The packages of the release, as they lie in a wheel, without tests inside them. */
async function library(
  own: Awaited<ReturnType<typeof readProjectSettings>>,
): Promise<{ blob: string; load: () => Promise<Buffer> }> {
  const entries = readZipEntries(await readFile(release), (count) => sizeProblem(release, count));
  if (!Array.isArray(entries)) throw new Error(entries.message);
  const inWheel = { ...own, settings: { ...own.settings, packageRoot: '.' } };
  const files = referenceFiles(inWheel, new Map(entries.map(({ name, content }) => [name, Buffer.from(content)])));
  const tar = await packFiles(files);
  const { sha256 } = await tools.blobs.put(tar, { name: 'old-release.tar', mediaType: 'application/x-tar' });
  return { blob: sha256, load: () => Promise.resolve(tar) };
}
