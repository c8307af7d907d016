import type { Tree } from '../../../src/suite-kit/packed-files.js';
import { actionProblems, workflowProblems } from './github-problems.js';
import { callProblems } from './call-rules.js';
import { ownProblems } from './own-rules.js';
import { CAPS, MOST_PROBLEMS, type SyntaxProblem, type SyntaxReport } from './syntax-report.js';
import { readYaml, type YamlFile } from './yaml-file.js';

const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/;
const ACTION = /^\.github\/actions\/(?:.+\/)?action\.ya?ml$/;

/** Where GitHub looks for workflows. */
export const workflowFiles = (paths: Iterable<string>): string[] =>
  [...paths].filter((path) => WORKFLOW.test(path)).sort();

/** Where actions of a project usually are. */
export const actionFiles = (paths: Iterable<string>): string[] => [...paths].filter((path) => ACTION.test(path)).sort();

/**
 * The first layer: whether GitHub would take the files of a candidate.
 * @param present paths of the project the candidate is for: workflows there may be called
 */
export async function checkSyntax(tree: Tree, present: ReadonlySet<string> = new Set()): Promise<SyntaxReport> {
  const paths = [...tree.keys()].sort();
  const workflows = workflowFiles(paths);
  const actions = actionFiles(paths);
  const problems = treeProblems(paths, workflows);
  if (problems.length > 0) return { problems, workflows, actions };
  const read: YamlFile[] = [];
  for (const path of [...workflows, ...actions]) {
    const file = readYaml(path, tree.get(path) ?? new Uint8Array());
    if ('problems' in file) problems.push(...file.problems);
    else {
      read.push(file);
      problems.push(...(await fileProblems(file)));
    }
  }
  const refused = new Set([...workflows].filter((path) => !read.some((file) => file.path === path)));
  problems.push(
    ...callProblems(
      read.filter(({ path }) => WORKFLOW.test(path)),
      new Set([...present, ...refused]),
    ),
  );
  return { problems: problems.slice(0, MOST_PROBLEMS), workflows, actions };
}

async function fileProblems(file: YamlFile): Promise<SyntaxProblem[]> {
  if (ACTION.test(file.path)) return actionProblems(file);
  const found = await workflowProblems(file);
  // Where its shape is wrong already, rules about its content would only repeat that.
  return found.length > 0 ? found : ownProblems(file);
}

function treeProblems(paths: readonly string[], workflows: readonly string[]): SyntaxProblem[] {
  const whole = (file: string, rule: string, message: string): SyntaxProblem => ({
    ...{ file, line: 0, column: 0 },
    ...{ rule, message },
  });
  if (paths.length > CAPS.files) return [whole('', 'files', `the answer has more than ${CAPS.files} files`)];
  const elsewhere = paths
    .filter((path) => /^\.github\/workflows\//.test(path) && /\.ya?ml$/.test(path) && !workflows.includes(path))
    .map((path) => whole(path, 'folder', 'GitHub reads no workflow in a folder below .github/workflows'));
  if (elsewhere.length > 0 || workflows.length > 0) return elsewhere;
  return [whole('', 'no-workflow', 'there is no workflow: no .yml or .yaml file directly in .github/workflows')];
}
