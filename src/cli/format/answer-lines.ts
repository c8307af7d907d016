import type { LastAnswer } from '../../client/inspect/last-answer.js';
import { plainHead, plainLine } from '../../domain/text/plain-text.js';
import { storableText } from '../../domain/text/storable.js';
import { stepName } from './attempt-lines.js';
import { shortened } from './task-lines.js';

/** Lines of each part of an answer: of a long one its first and its last ones, so that a trial fits a screen of fifty. */
const SHOWN = { head: 4, end: 2 };
/** Characters of a line. */
const LINE_LENGTH = 300;

/** What a model answered last in a trial, as far as it fits a screen, and the command that prints it whole. */
export function answerLines(trial: string, { call, model, answered, finishReason, heads }: LastAnswer): string[] {
  const { response, stage, step } = call;
  const from = [stepName({ ...call, n: 1 }), call.purpose, model ?? call.model, finishReason ?? ''];
  const title = from
    .filter((part) => part !== '')
    .map((part) => line(part, 60))
    .join(', ');
  const place = step === '' ? stage : `${stage}/${step}`;
  const whole = line(`durabench logs ${trial} --step ${place} --evidence ${response.name}`, 500);
  const parts = answered.length === 0 && heads.answered !== null ? [{ role: '', text: heads.answered.text }] : answered;
  const text = parts.flatMap((part) => [
    ...(part.role === 'answer' || part.role === '' ? [] : [`${part.role}:`]),
    ...shortened(part.text, { ...SHOWN, whole }),
  ]);
  const said = text.length === 0 ? ['kept no more'] : text;
  // Of a long text the command stands where its middle is left out.
  const isNamed = said.some((each) => each.endsWith(whole));
  return [
    `answer       ${title}`,
    ...said.map((each) => `  | ${plainHead(storableText(each), LINE_LENGTH)}`),
    ...(isNamed ? [] : [`whole        ${whole}`]),
  ];
}

/** Halves of characters would be no text for whoever reads the output. */
const line = (text: string, maxLength: number): string => plainLine(storableText(text), maxLength);
