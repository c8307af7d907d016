import { explanationsOf, type StageFunction } from 'durabench/suite';
import type { Executed, Scored } from './results.js';

/** The verdict. Reasons are codes, the most important one first; a metric that does not apply is null, never 0. */
export const score: StageFunction = async ({ input }) => {
  const { ran } = input as Scored;
  const reasons = reasonsOf(ran);
  const [matched, rejected] = ran?.ended === 'decided' ? [ran.missed === 0, ran.overmatched === 0] : [null, null];
  const metrics = { matched: rate(matched), rejected: rate(rejected) };
  return { result: { passed: reasons.length === 0, reasons, metrics } };
};

function reasonsOf(ran: Executed | null): string[] {
  if (ran === null) return ['no-pattern'];
  if (ran.ended !== 'decided') return [ran.ended];
  return [...(ran.missed > 0 ? ['missed'] : []), ...(ran.overmatched > 0 ? ['overmatched'] : [])];
}

function rate(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

const SHOW = '`durabench show TRIAL` shows the pattern and what it matched.';

/** For `durabench explain CODE`: what happened, its usual cause, and what comes next. */
export const explanations = explanationsOf('reason', {
  'no-pattern': ['The answer has no pattern.', 'No fenced block, or one of several lines.', SHOW],
  invalid: ['Python does not accept the pattern.', 'Syntax of another language.', SHOW],
  'timed-out': ['The pattern did not end within five seconds.', 'Nested repetition that backtracks.', SHOW],
  'out-of-memory': ['The pattern needed more than 256 MiB.', 'Very large repetition counts.', SHOW],
  missed: ['A text that must match does not.', 'A case of the description that was left out.', SHOW],
  overmatched: ['A text that must not match does.', 'A pattern that is too wide.', SHOW],
});
