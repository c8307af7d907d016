import { duration } from '../report/words.js';
import type { Output } from './output.js';

/** Runs one named step and says how long it took; its own lines carry its name, since steps run side by side. */
export async function step<Result>(
  output: Output,
  name: string,
  work: (say: (line: string) => void) => Promise<Result>,
): Promise<Result> {
  const startedAt = Date.now();
  const prefix = name.padEnd(9);
  try {
    const result = await work((line) => output.say(`${prefix} ${line}`));
    output.say(`${prefix} done (${duration((Date.now() - startedAt) / 1000)})`);
    return result;
  } catch (error) {
    output.warn(`${prefix} failed (${duration((Date.now() - startedAt) / 1000)})`);
    throw error;
  }
}
