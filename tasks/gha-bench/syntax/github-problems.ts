import type { TemplateParseResult } from '@actions/workflow-parser';
import { githubParser } from './github-parser.js';
import type { SyntaxProblem } from './syntax-report.js';

type File = { path: string; text: string };

/** What GitHub's own parser finds in a workflow. It is parsed and converted: some mistakes show only in the second. */
export async function workflowProblems({ path, text }: File): Promise<SyntaxProblem[]> {
  const { workflows } = githubParser();
  return problemsOf(path, async () => {
    const result = workflows.parseWorkflow({ name: path, content: text }, new workflows.NoOperationTraceWriter());
    if (result.value !== undefined) await workflows.convertWorkflowTemplate(result.context, result.value);
    return result;
  });
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
    return context.errors
      .getErrors()
      .filter(({ rawMessage }) => !ACCEPTED.some((pattern) => pattern.test(rawMessage)))
      .map(({ rawMessage, range }) => ({
        ...{ file, line: range?.start.line ?? 0, column: range?.start.column ?? 0 },
        ...{ rule: 'schema', message: rawMessage },
      }));
  } catch (error) {
    const message = `GitHub's parser cannot read the file: ${error instanceof Error ? error.message : String(error)}`;
    return [{ file, line: 0, column: 0, rule: 'schema', message }];
  }
}

/** What the parser refuses and GitHub is known to run: well-known projects have such files (docs/gha-bench/layers.md). */
const ACCEPTED: readonly RegExp[] = [];
