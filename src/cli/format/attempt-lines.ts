import type { TrialDetail } from '../../client/inspect/trial-detail.js';
import { messageLines } from '../../report/text/message-lines.js';
import { grouped } from '../../report/text/number-text.js';
import { clock } from '../../report/text/wait-lines.js';
import type { Session } from '../session.js';
import { evidenceLines } from './evidence-lines.js';

type Attempt = TrialDetail['attempts'][number];

/** How steps are named: `vote match-2`, `execute run (run 2)`. */
export function stepName({ stage, step, n }: { stage: string; step: string; n: number }): string {
  return `${stage}${step === '' ? '' : ` ${step}`}${n > 1 ? ` (run ${n})` : ''}`;
}

/**
 * The attempts that failed, under a heading. Those of one step that failed for one reason are one line, with their count
 * and times, the words and evidence of the last.
 */
export function attemptLines(session: Session, attempts: readonly Attempt[], most = Infinity): string[] {
  const groups = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    if (attempt.failure === null) continue;
    const key = JSON.stringify([stepName(attempt), attempt.failure.type]);
    groups.set(key, [...(groups.get(key) ?? []), attempt]);
  }
  const all = [...groups.values()];
  const shown = all.slice(Math.max(0, all.length - most));
  const lines = shown.flatMap((group) => linesOf(session, group));
  return lines.length === 0 ? [] : ['\nattempts that failed', ...lines];
}

function linesOf(session: Session, group: readonly Attempt[]): string[] {
  const [first, last] = [group[0]!, group.at(-1)!];
  const { failure, evidence = [] } = last;
  const which =
    group.length === 1
      ? `attempt ${last.attempt}`
      : `${grouped(group.length)} attempts, ${clock(first.startedAt)} to ${clock(last.endedAt)} UTC, the last one`;
  const [message = '', ...more] = messageLines(failure!, 160);
  return [
    `  ${stepName(last)}, ${which}: ${failure!.type}: ${message}`,
    ...more.map((line) => `    ${line}`),
    ...evidenceLines(session, evidence),
  ];
}
