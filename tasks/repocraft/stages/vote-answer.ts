import { shortText } from './short-text.js';
import type { Answer } from './vote-rules.js';

/** Bytes of a reason kept. */
const MAX_REASON_BYTES = 400;

/**
 * Reads a voter's answer: a JSON object with `answer`, else a line that begins with YES, NO or PARTIAL.
 * Null when it is neither, or when it says two things.
 */
export function readVoteAnswer(text: string): { answer: Exclude<Answer, 'abstain'>; reason: string } | null {
  return fromJson(text) ?? fromWords(text);
}

function fromJson(text: string): ReturnType<typeof readVoteAnswer> {
  const object = /\{[^{}]*\}/.exec(text)?.[0];
  if (object === undefined) return null;
  try {
    const value = JSON.parse(object) as { answer?: unknown; reason?: unknown };
    const answer = typeof value.answer === 'string' ? asAnswer(value.answer) : null;
    const reason = typeof value.reason === 'string' ? value.reason : '';
    return answer === null ? null : { answer, reason: shortened(reason) };
  } catch {
    return null;
  }
}

function fromWords(text: string): ReturnType<typeof readVoteAnswer> {
  const lines = text.split('\n').map((line) => line.replace(/^[\s*_#>"'`-]*(?:answer\s*[:=-]\s*)?[\s*_"'`]*/i, ''));
  const found = lines.flatMap((line) => {
    const match = /^(YES|NO|PARTIAL)\b[\s*_"'`:.,;–-]*(.*)$/i.exec(line);
    const answer = asAnswer(match?.[1] ?? '');
    return answer === null ? [] : [{ answer, reason: shortened(match?.[2] ?? '') }];
  });
  const first = found[0];
  return first !== undefined && found.every(({ answer }) => answer === first.answer) ? first : null;
}

function asAnswer(word: string): Exclude<Answer, 'abstain'> | null {
  const lower = word.trim().toLowerCase();
  return lower === 'yes' || lower === 'no' || lower === 'partial' ? lower : null;
}

const shortened = (reason: string): string => shortText(reason.replace(/\s+/g, ' ').trim(), MAX_REASON_BYTES);
