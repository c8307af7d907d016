import type { TemplateParseResult } from '@actions/workflow-parser';
import { githubParser } from './github-parser.js';
import type { SyntaxProblem } from './syntax-report.js';
import type { YamlFile } from './yaml-file.js';

type File = Pick<YamlFile, 'path' | 'text' | 'place'>;

/** What GitHub's own parser finds in a workflow. It is parsed and converted: some mistakes show only in the second. */
export async function workflowProblems({ path, text, place }: File): Promise<SyntaxProblem[]> {
  const { workflows } = githubParser();
  const problems = await problemsOf(path, async () => {
    const result = workflows.parseWorkflow({ name: path, content: text }, new workflows.NoOperationTraceWriter());
    if (result.value !== undefined) await workflows.convertWorkflowTemplate(result.context, result.value);
    return result;
  });
  return problems.filter((problem) => !ACCEPTED.some((accepts) => accepts(problem, place)));
}

/** What it finds in an action's metadata file. */
export async function actionProblems({ path, text }: File): Promise<SyntaxProblem[]> {
  const { workflows, actions } = githubParser();
  return problemsOf(path, async () => {
    const result = actions.parseAction({ name: path, content: text }, new workflows.NoOperationTraceWriter());
    if (result.value !== undefined) actions.convertActionTemplate(result.context, result.value);
    return result;
  });
}

async function problemsOf(file: string, parse: () => Promise<TemplateParseResult>): Promise<SyntaxProblem[]> {
  try {
    const { context } = await parse();
    return context.errors.getErrors().map(({ rawMessage, range }) => ({
      ...{ file, line: range?.start.line ?? 0, column: range?.start.column ?? 0 },
      ...{ rule: 'schema', message: rawMessage },
    }));
  } catch (error) {
    const message = `GitHub's parser cannot read the file: ${error instanceof Error ? error.message : String(error)}`;
    return [{ file, line: 0, column: 0, rule: 'schema', message }];
  }
}

/** What the parser refuses and GitHub runs: projects that are built by such files have them (docs/results/gha-bench-files.md). */
const ACCEPTED: readonly ((problem: SyntaxProblem, place: YamlFile['place']) => boolean)[] = [
  // A number as the default of an input that is a text.
  ({ message }) =>
    message.startsWith("Unexpected type 'NumberToken' encountered while reading 'input default'") &&
    message.includes("The type 'StringToken' was expected"),
  // A key of jobs that is newer than the parser.
  ({ message }) => message === "Unexpected value 'cache-mode'",
  // Filters of events that have none.
  ({ message, line, column }, place) =>
    message === 'A mapping was not expected' &&
    ['create', 'delete'].some((event) => {
      const at = place(['on', event]);
      return at.line === line && at.column === column;
    }),
];
