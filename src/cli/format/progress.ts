import type { ReportSubject } from '../../report/report-subject.js';
import type { UnderWay } from '../../client/inspect/under-way.js';
import type { Output } from './output.js';
import { progressLine, progressLines } from '../../client/inspect/progress-lines.js';

/** A log needs fewer lines than a terminal. */
const PLAIN_LINE_MS = 5_000;

/** Progress of one campaign while it is watched. */
export interface Progress {
  /** Redraws on a terminal; elsewhere a line at most every 5 s, and only when something changed. */
  show(subject: ReportSubject): void;
  /** What is made and waited for, until the next one; shown with the next state. */
  underWay(now: UnderWay): void;
  /** The last state, which stays. */
  end(subject: ReportSubject): void;
}

/** Progress on an output. */
export function createProgress(output: Output): Progress {
  let said = { line: '', at: -Infinity };
  let now: UnderWay | undefined;
  return {
    show: (subject) => {
      if (output.isLive) return output.redraw(progressLines(subject, now));
      if (Date.now() - said.at < PLAIN_LINE_MS) return;
      const line = progressLine(subject, now);
      if (line !== said.line) output.say(line);
      said = { line, at: Date.now() };
    },
    underWay: (found) => void (now = found),
    end: (subject) => {
      if (!output.isLive) return output.say(progressLine(subject));
      output.redraw(progressLines(subject));
      output.settle();
    },
  };
}
