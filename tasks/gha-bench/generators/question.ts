import type { ModelMessage } from '../../../src/ports/model.js';
import { loadPrompt } from '../../../src/suite-kit/load-prompt.js';
import type { GhaTask } from '../dataset/task-schema.js';
import type { GhaOptions } from '../settings.js';

/** What a model is asked, and which versions of texts that is made of. */
export interface ComposedQuestion {
  id: string;
  messages: ModelMessage[];
}

/** What is shown of a project at most, in characters; the rest is left out, and that is said. */
const MOST_SHOWN = 100_000;

/** The question of a task under a condition: the same text for every model. */
export async function composeQuestion(
  task: GhaTask,
  { prompt, context }: Pick<GhaOptions, 'prompt' | 'context'>,
  suiteFolder: string,
): Promise<ComposedQuestion> {
  const values = { request: task.prompts[prompt].trim(), project: projectText(task.repo, context) };
  return loadPrompt(suiteFolder, 'answer.v1', values);
}

function projectText(repo: GhaTask['repo'], context: GhaOptions['context']): string {
  if (context === 'none') return '';
  const paths = Object.keys(repo).sort();
  const list = `The project has these files:\n\n${paths.map((path) => `- ${path}`).join('\n')}`;
  if (context === 'tree') return `\n${list}`;
  return `\n${list}\n${shownFiles(repo, paths)}`;
}

function shownFiles(repo: GhaTask['repo'], paths: readonly string[]): string {
  let left = MOST_SHOWN;
  let omitted = 0;
  const shown: string[] = [];
  for (const path of paths) {
    const text = repo[path] ?? '';
    left -= text.length;
    if (left < 0) omitted += 1;
    else shown.push(`\n${path}:\n\n${indented(text)}`);
  }
  return [...shown, ...(omitted === 0 ? [] : [`\n${omitted} more files are not shown.`])].join('\n');
}

/** As a Markdown code block without a fence: whatever fences a file holds, it ends where it ends. */
function indented(text: string): string {
  return text.replace(/\n$/, '').replace(/^/gm, '    ');
}
