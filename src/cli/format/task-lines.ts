import type { TaskText } from '../../suite/suite.js';
import { plainLine, plainText } from '../../domain/text/plain-text.js';
import { grouped } from '../../report/text/number-text.js';

/** Lines of the question. */
const ASKED = 5;
/** Lines of the test: of a long one its head, and its end, where what is checked stands. */
const TEST = { head: 8, end: 32 };

/** What a trial was asked and how it is tested, as far as it fits a screen; `show --json` has the whole. */
export function taskLines(trial: string, { asked, test }: TaskText): string[] {
  const whole = `durabench show ${trial} --json`;
  const block = shortened(asked, { head: ASKED, end: 0, whole });
  const lines = block.map((line, index) => `${(index === 0 ? 'asked' : '').padEnd(12)} ${plainLine(line, 300)}`);
  if (test === null) return lines;
  const text = shortened(test.text, { ...TEST, whole }).map((line) => `  | ${plainText(line)}`);
  return [...lines, `test         ${plainLine(test.name, 300)}`, ...text];
}

/** Of a long text its first and last lines, and between them the command that prints it whole. */
export function shortened(text: string, { head, end, whole }: { head: number; end: number; whole: string }): string[] {
  const lines = text.trimEnd().split('\n');
  const left = lines.length - head - end;
  if (left <= 1) return lines;
  const note = `… ${grouped(left)} more lines: ${whole}`;
  return [...lines.slice(0, head), note, ...lines.slice(lines.length - end)];
}
