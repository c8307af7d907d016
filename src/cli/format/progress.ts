import type { ReportSubject } from '../../report/report-subject.js';
import type { UnderWay } from '../../client/inspect/under-way.js';
import type { Pace } from '../../report/text/time-left.js';
import type { Output } from './output.js';
import { progressLine, progressLines } from '../../client/inspect/progress-lines.js';

/** A log needs fewer lines than a terminal. */
const PLAIN_LINE_MS = 5_000;
/** Nothing is left to guess. */
const ENDED: Pace = { ended: 0, seconds: 0 };

/** Progress of one campaign while it is watched. */
export interface Progress {
  /** Redraws on a terminal; elsewhere a line at most every 5 s, and only when something changed. */
  show(subject: ReportSubject): void;
  /** What is made and waited for, until the next one; shown with the next state. */
  underWay(now: UnderWay): void;
  /** The last state, which stays. */
  end(subject: ReportSubject): void;
}

/** Progress on an output; the pace counts from the first state that is shown. */
export function createProgress(output: Output): Progress {
  let since: { done: number; at: number } | undefined;
  let said = { line: '', at: -Infinity };
  let now: UnderWay | undefined;
  const paceOf = ({ campaign }: ReportSubject): Pace => {
    const now = { done: campaign.trials.done, at: Date.now() };
    since ??= now;
    return { ended: now.done - since.done, seconds: (now.at - since.at) / 1000 };
  };
  return {
    show: (subject) => {
      const pace = paceOf(subject);
      if (output.isLive) return output.redraw(progressLines(subject, pace, now));
      if (Date.now() - said.at < PLAIN_LINE_MS) return;
      const line = progressLine(subject, pace, now);
      if (line !== said.line) output.say(line);
      said = { line, at: Date.now() };
    },
    underWay: (found) => void (now = found),
    end: (subject) => {
      if (!output.isLive) return output.say(progressLine(subject, ENDED));
      output.redraw(progressLines(subject, ENDED));
      output.settle();
    },
  };
}
