import { parsedJson } from '../../../src/domain/text/parsed-json.js';
import { shortText } from '../../../src/suite-kit/short-text.js';
import type { Answer } from './vote-rules.js';

/** Characters looked at: a vote is a word and a sentence, and whoever says more is not listened to for seconds. */
const LOOKED_AT = 64 * 1024;
/** Bytes of a reason kept. */
const MAX_REASON_BYTES = 400;

/** What some endpoints leave of a model's thinking in front of its answer, each in a form of its own. */
const THOUGHTS = [
  /^\s*<(think|thinking|thought|reasoning|analysis)>[^]*?<\/\1>/i,
  /^\s*\[THINK\][^]*?\[\/THINK\]/i,
  /^\s*◁think▷[^]*?◁\/think▷/i,
  /^\s*<\|channel\|>analysis[^]*?<\|channel\|>final<\|message\|>/i,
];
/** The end of thoughts whose beginning stood in the prompt: a line that ends with nothing else. */
const ENDED_THOUGHT = /<\/think(?:ing)?>[ \t]*(?:\n|$)/i;
/** A "No" to the question whether it will answer. */
const DECLINED =
  /^(?:sorry\W+)?(?:but\s+)?i\b[^.\n]*\b(?:can['’]?t|cannot|won['’]?t|unable to|not able to)\s+(?:help|assist|comply|answer|judge|evaluate|continue)\b/i;
/** An answer as a statement of its own: at a beginning, and with nothing or a mark behind it. */
const STATED =
  /(?:^|[\n.!?;:,–—-])[\s*_#>"'`(]*(?:answer\s*(?:is|[:=-])\s*)?[\s*_"'`]*(yes|no|partial)\b[*_"'`)]*\s*(?=[\n.!?;:,–—-]|$)/gi;
/** An answer as the prompt spells them, anywhere. */
const SPELLED = /\b(YES|NO|PARTIAL)\b/g;

/**
 * Reads a voter's answer: a JSON object with `answer`, else a line that begins with YES, NO or PARTIAL.
 * Null when it is neither, or when it says two things: in two objects, lines or sentences, or within one.
 */
export function readVoteAnswer(text: string): { answer: Exclude<Answer, 'abstain'>; reason: string } | null {
  const said = THOUGHTS.reduce((left, thought) => left.replace(thought, ''), text.slice(0, LOOKED_AT));
  const end = ENDED_THOUGHT.exec(said);
  if (end === null) return readSaid(said);
  // Unless the code that is voted on has put it there: then what stands before it is an answer.
  const [before, after] = [readSaid(said.slice(0, end.index)), readSaid(said.slice(end.index + end[0].length))];
  return before === null || before.answer === after?.answer ? after : null;
}

function readSaid(said: string): ReturnType<typeof readVoteAnswer> {
  const found = fromJson(said);
  if (found !== null) return isContradicted(found, outsideJson(said)) ? null : found;
  const inWords = fromWords(said);
  if (inWords === null || DECLINED.test(inWords.reason)) return null;
  const others = [...stated(said), ...[...said.matchAll(SPELLED)].map(([word]) => asAnswer(word))];
  return others.every((other) => other === inWords.answer) ? inWords : null;
}

/** Whether the same answer holds another one: a second key, a sentence of the reason, or one beside the object. */
function isContradicted({ answer, reason }: { answer: Answer; reason: string }, beside: string): boolean {
  return [...stated(reason), ...stated(beside)].some((other) => other !== answer);
}

const stated = (text: string): (Answer | null)[] => [...text.matchAll(STATED)].map(([, word = '']) => asAnswer(word));

const outsideJson = (text: string): string =>
  `${text.slice(0, text.indexOf('{'))}\n${text.slice(text.lastIndexOf('}') + 1)}`;

function fromJson(text: string): ReturnType<typeof readVoteAnswer> {
  // The reason may hold braces of its own: everything between the outermost ones comes first.
  const whole = answerIn(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  if (whole !== null) return agreed([whole, ...keysIn(text)]);
  const found = [...text.matchAll(/\{[^{}]*\}/g)].flatMap(([object]) => answerIn(object) ?? []);
  return agreed(found);
}

/** Every `"answer": "…"` as it is written: of a key that stands twice, parsing keeps the last one only. */
function keysIn(text: string): { answer: Exclude<Answer, 'abstain'>; reason: string }[] {
  return [...text.matchAll(/"answer"\s*:\s*"(\w+)"/g)].flatMap(([, word = '']) => {
    const answer = asAnswer(word);
    return answer === null ? [] : [{ answer, reason: '' }];
  });
}

function answerIn(object: string): ReturnType<typeof readVoteAnswer> {
  const value = parsedJson(object) as { answer?: unknown; reason?: unknown } | null | undefined;
  const answer = typeof value?.answer === 'string' ? asAnswer(value.answer) : null;
  const reason = typeof value?.reason === 'string' ? value.reason : '';
  return answer === null ? null : { answer, reason: shortened(reason) };
}

/** The first of several answers that say the same; null where they do not. */
function agreed<Found extends { answer: Answer }>(found: readonly Found[]): Found | null {
  const first = found[0];
  return first !== undefined && found.every(({ answer }) => answer === first.answer) ? first : null;
}

function fromWords(text: string): ReturnType<typeof readVoteAnswer> {
  const lines = text.split('\n').map((line) => line.replace(/^[\s*_#>"'`-]*(?:answer\s*[:=-]\s*)?[\s*_"'`]*/i, ''));
  const found = lines.flatMap((line) => {
    const match = /^(YES|NO|PARTIAL)\b[\s*_"'`:.,;–-]*(.*)$/is.exec(line);
    const answer = asAnswer(match?.[1] ?? '');
    return answer === null ? [] : [{ answer, reason: shortened(match?.[2] ?? '') }];
  });
  return agreed(found);
}

function asAnswer(word: string): Exclude<Answer, 'abstain'> | null {
  const lower = word.trim().toLowerCase();
  return lower === 'yes' || lower === 'no' || lower === 'partial' ? lower : null;
}

const shortened = (reason: string): string => shortText(reason.replace(/\s+/g, ' ').trim(), MAX_REASON_BYTES);
