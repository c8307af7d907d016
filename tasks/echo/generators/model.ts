import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StageContext } from '../../../src/suite/stage.js';
import { optionsSchema } from '../settings.js';
import type { EchoTask } from '../dataset/echo-task.js';

/** Versions the prompt file: part of the key under which a call is paid once. */
const PROMPT = 'answer@1';

/** Asks the system's model; the ledger reserves, sends, settles, and answers a retry from the record. */
export async function modelAnswer({ id, prompt }: EchoTask, context: StageContext): Promise<string> {
  const system = await readFile(join(context.suiteFolder, 'prompts', 'answer.md'), 'utf8');
  const { instructions } = optionsSchema.parse(context.system.options);
  const answer = await context.ask({
    purpose: 'generate',
    ordinal: 0,
    prompt: `${PROMPT} ${id}`,
    messages: [
      { role: 'system', content: [system.trim(), ...(instructions === undefined ? [] : [instructions])].join('\n\n') },
      { role: 'user', content: prompt },
    ],
  });
  return answer.text;
}
