import type { StageContext } from '../../../src/suite/stage.js';
import { fencedBlocks } from '../../../src/suite-kit/fenced-blocks.js';
import { loadPrompt } from '../../../src/suite-kit/load-prompt.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import type { MadeScript } from './made-script.js';
import { shownFiles, taskValues } from './task-text.js';

/** Asks the system's model once; the last block of bash in its answer is the script. */
export async function promptedScript(task: ArtisanTask, context: StageContext): Promise<MadeScript> {
  const contents = await shownFiles(task, context.blobs);
  const { id: prompt, messages } = await loadPrompt(context.suiteFolder, 'single-prompt.v2', {
    ...taskValues(task),
    contents,
  });
  const answer = await context.ask({
    purpose: 'generate',
    ordinal: context.repeat,
    prompt: `${prompt} ${task.id}`,
    messages,
  });
  await context.attach(answer.text, { name: 'answer.md', mediaType: 'text/plain; charset=utf-8' });
  return scriptOf(answer.text);
}

/** The script in an answer; empty, with a note, where there is none. */
export function scriptOf(answer: string): MadeScript {
  const blocks = [...fencedBlocks(answer.split(/\r?\n/))].filter(({ info }) => /^(bash|sh|shell)\b/.test(info));
  const last = blocks.at(-1);
  if (last === undefined) return { script: new Uint8Array(), note: 'the answer has no block of the kind ```bash' };
  return { script: new TextEncoder().encode(`${last.lines.join('\n')}\n`), note: null };
}
