import type { TaskText } from '../../suite/suite.js';
import { plainLine, plainText } from '../../domain/text/plain-text.js';
import { grouped } from '../../report/text/number-text.js';

/** Lines of the question. */
const ASKED = 5;
/** Lines of the test: of a long one its head, and its end, where what is checked stands. */
const TEST = { head: 8, end: 32 };

/** What a trial was asked and how it is tested, as far as it fits a screen; `show --json` has the whole. */
export function taskLines(trial: string, { asked, test }: TaskText): string[] {
  const block = shown(trial, asked, { head: ASKED, end: 0 });
  const lines = block.map((line, index) => `${(index === 0 ? 'asked' : '').padEnd(12)} ${plainLine(line, 300)}`);
  if (test === null) return lines;
  const text = shown(trial, test.text, TEST).map((line) => `  | ${plainText(line)}`);
  return [...lines, `test         ${plainLine(test.name, 300)}`, ...text];
}

function shown(trial: string, text: string, { head, end }: { head: number; end: number }): string[] {
  const lines = text.trimEnd().split('\n');
  const left = lines.length - head - end;
  if (left <= 1) return lines;
  const note = `… ${grouped(left)} more lines: durabench show ${trial} --json`;
  return [...lines.slice(0, head), note, ...lines.slice(lines.length - end)];
}
