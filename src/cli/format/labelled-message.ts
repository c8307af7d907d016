import type { Problem } from '../../contract/problem.js';
import { messageLines } from '../../report/text/message-lines.js';

/** A problem behind its label, in the columns of `show`: what was expected and how to fix it stand on lines below; none for no problem. */
export function labelledMessage(label: string, problem: Problem | null): string[] {
  const lines = problem === null ? [] : messageLines(problem, 500);
  return lines.map((line, index) => `${(index === 0 ? label : '').padEnd(12)} ${line}`);
}
