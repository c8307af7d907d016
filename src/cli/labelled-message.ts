import { messageLines } from '../report/message-lines.js';

/** A message behind its label, in the columns of `show`: what is allowed and how to mend it stand on lines below; none for no message. */
export function labelledMessage(label: string, message: string | null): string[] {
  const lines = message === null ? [] : messageLines(message, 500);
  return lines.map((line, index) => `${(index === 0 ? label : '').padEnd(12)} ${line}`);
}
