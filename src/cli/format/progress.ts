import type { ReportSubject } from '../../report/report-subject.js';
import type { Output } from './output.js';
import { progressLine, progressLines } from './progress-lines.js';

/** A log needs fewer lines than a terminal. */
const PLAIN_LINE_MS = 5_000;

/** Progress of one campaign while it is watched. */
export interface Progress {
  /** Redraws on a terminal; elsewhere a line at most every 5 s, and only when something changed. */
  show(subject: ReportSubject): void;
  /** The last state, which stays. */
  end(subject: ReportSubject): void;
}

/** Progress on an output; rates count from the first state that is shown. */
export function createProgress(output: Output): Progress {
  let since: { done: number; at: number } | undefined;
  let said = { line: '', at: -Infinity };
  /** Trials that ended since watching began, per second; 0 while it is not known. */
  const perSecond = ({ campaign }: ReportSubject): number => {
    const now = { done: campaign.trials.done, at: Date.now() };
    since ??= now;
    return now.at > since.at ? ((now.done - since.done) * 1000) / (now.at - since.at) : 0;
  };
  return {
    show: (subject) => {
      const rate = perSecond(subject);
      if (output.isLive) return output.redraw(progressLines(subject, rate));
      if (Date.now() - said.at < PLAIN_LINE_MS) return;
      const line = progressLine(subject, rate);
      if (line !== said.line) output.say(line);
      said = { line, at: Date.now() };
    },
    end: (subject) => {
      if (!output.isLive) return output.say(progressLine(subject, 0));
      output.redraw(progressLines(subject, 0));
      output.settle();
    },
  };
}
