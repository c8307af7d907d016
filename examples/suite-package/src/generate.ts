import { fencedBlocks, loadPrompt, type GeneratorTraits, type StageContext, type StageFunction } from 'durabench/suite';
import type { Generated } from './results.js';
import { pinnedTask } from './tasks.js';

/** What a system of a campaign may name as its `generator`. */
export const GENERATORS: Record<string, GeneratorTraits> = {
  model: {
    description: 'asks a model, once a task',
    needsModel: true,
    needsPath: false,
    purposes: ['generate'],
    phase: 'generate',
  },
  reference: {
    description: 'the pattern of the dataset: the ceiling, passes every task',
    needsModel: false,
    needsPath: false,
    phase: 'grade',
  },
};

/** The pattern of one trial; what is found stands in the record as `pattern.txt`. */
export const generate: StageFunction = async (context) => {
  const text = context.system.generator === 'reference' ? (await pinnedTask(context)).reference : await asked(context);
  if (text === null) return { result: { pattern: null } satisfies Generated };
  const { sha256 } = await context.attach(text, { name: 'pattern.txt', mediaType: 'text/plain; charset=utf-8' });
  return { result: { pattern: sha256 } satisfies Generated };
};

/** `ask` goes through the ledger: it is paid once, and answered from the record when this stage is run again. */
async function asked(context: StageContext): Promise<string | null> {
  const { description, examples } = await pinnedTask(context);
  const values = { description, match: examples.match, reject: examples.reject };
  const { id, messages } = await loadPrompt(context.suiteFolder, 'write-pattern.v1', values);
  const { text } = await context.ask({ purpose: 'generate', ordinal: 0, prompt: id, messages, maxOutputTokens: 500 });
  return patternOf(text);
}

/** The only line of the first fenced block; null where there is no such block. */
export function patternOf(answer: string): string | null {
  const [block] = fencedBlocks(answer.split(/\r?\n/));
  return block?.lines.length === 1 ? (block.lines[0] ?? null) : null;
}
