import { nearest } from '../config/nearest.js';
import type { Suite } from '../ports/suite.js';
import { duration } from '../report/words.js';
import { suiteNamed } from './campaign-subject.js';
import type { CommandEntry } from './command-entry.js';
import { CommandProblem } from './command-problem.js';
import { fetchDataset, withDatasetTools } from './dataset-tools.js';
import { EXIT } from './exit-code.js';
import type { Session } from './session.js';
import { unknownAction } from './unknown-action.js';

/** `durabench dataset fetch|build SUITE` */
export const dataset: CommandEntry = {
  declare: (program) =>
    program
      .command('dataset')
      .description('fetch: the locked tasks of a suite; build: make them anew and rewrite the lock (maintainers)')
      .argument('<action>', 'fetch or build')
      .argument('<suite>', 'see `durabench suites`')
      .option('--project <names>', 'only these, separated by commas')
      .option('--verify', 'fetch: run the reference against every task as well'),
  action: async (session, [action = '', name = ''], options) => {
    if (action !== 'fetch' && action !== 'build')
      throw unknownAction('dataset', action, { actions: ['fetch', 'build'], example: 'durabench dataset fetch SUITE' });
    const suite = await suiteNamed(name);
    const projects = chosenProjects(suite, typeof options.project === 'string' ? options.project : undefined);
    const startedAt = Date.now();
    const result = await (action === 'fetch'
      ? fetchInto(session, suite, { projects, verify: options.verify === true })
      : build(session, suite, projects));
    const { output } = session;
    if (output.flags.json) output.json({ suite: name, projects, ...result });
    else {
      output.data(
        `${name} ${projects.join(', ')}: ${result.tasks} tasks, digest ${result.digest} (${duration((Date.now() - startedAt) / 1000)})`,
      );
      if ('lock_path' in result) output.data(`lock: ${String(result.lock_path)}`);
    }
    return EXIT.ok;
  },
};

async function fetchInto(session: Session, suite: Suite, options: { projects: string[]; verify: boolean }) {
  return fetchDataset(session, { suite, blobs: await blobsOf(session), ...options });
}

async function build(session: Session, suite: Suite, projects: string[]) {
  const { dataset: source } = suite;
  if (source.build === undefined) throw nothingToBuild(suite);
  const blobs = await blobsOf(session);
  const built = await withDatasetTools(session, { suite, blobs }, (tools) => source.build!({ projects }, tools));
  return { tasks: built.tasks, digest: built.digest, lock_path: built.lockPath };
}

/** The blob store needs no server, so neither does dataset work. */
async function blobsOf(session: Session) {
  const { createFileBlobs } = await import('../adapters/blobs/file-blobs.js');
  return createFileBlobs({ folder: session.environment().blobsDir });
}

function chosenProjects(suite: Suite, text: string | undefined): string[] {
  const known = suite.dataset.projects;
  if (text === undefined) return [...known];
  const chosen = text.split(',').map((word) => word.trim());
  const problems = chosen
    .filter((word) => !known.includes(word))
    .map((word) => {
      const meant = nearest(word, known);
      return {
        what: `--project: "${word}" is not a project of ${suite.manifest.id}`,
        allowed: known.length === 0 ? 'this suite has no projects' : `any of ${known.join(', ')}`,
        remedy: meant === undefined ? 'name one of these, or leave --project out' : `did you mean "${meant}"?`,
      };
    });
  if (problems.length > 0) throw new CommandProblem(problems);
  return chosen;
}

function nothingToBuild(suite: Suite): CommandProblem {
  return new CommandProblem({
    what: `the tasks of ${suite.manifest.id} are written by hand and part of the repository; there is nothing to build`,
    allowed: 'a suite whose tasks are made from other sources',
    remedy: `durabench dataset fetch ${suite.manifest.id}`,
  });
}
