import type { GoldenContent } from './golden-set.js';

/** One trial of the system that is checked. */
export interface GoldenTrial {
  trial: string;
  task: string;
  /** Of the content of the task it ran on, hex. */
  sha256: string;
  end: 'passed' | 'failed' | 'errored' | 'not run';
}

/** A task with the trials that show what is said of it. */
interface GoldenFinding {
  task: string;
  trials: string[];
}

/** What became of tasks that are known to pass. Each task is in one list. */
export interface GoldenCheck {
  passed: GoldenFinding[];
  /** Failed, and never passed. */
  regressions: GoldenFinding[];
  /** Passed and failed under one lock: says nothing of the system. Trials of both ends, passed first. */
  quarantined: GoldenFinding[];
  /** Without a verdict: errored, not run, or without a trial at all. */
  unanswered: GoldenFinding[];
  /** Another content under the same id: says nothing of the task that is known to pass. */
  changed: GoldenFinding[];
  /** Names of the parts in which the locks differ. */
  lockParts: string[];
}

/** Compares what a system did under one lock with what is known. Trials of other tasks are left out. */
export function checkGolden(
  set: GoldenContent,
  trials: readonly GoldenTrial[],
  lock: GoldenContent['lock'],
): GoldenCheck {
  const check: GoldenCheck = {
    ...{ passed: [], regressions: [], quarantined: [], unanswered: [], changed: [] },
    lockParts: differingParts(set.lock, lock),
  };
  for (const { id, sha256 } of set.tasks) {
    const own = trials.filter(({ task }) => task === id);
    const ended = (wanted: GoldenTrial['end']): string[] =>
      own.filter(({ end }) => end === wanted).map(({ trial }) => trial);
    const [passed, failed] = [ended('passed'), ended('failed')];
    const isChanged = own.some((trial) => trial.sha256 !== sha256);
    if (isChanged) check.changed.push({ task: id, trials: own.map(({ trial }) => trial) });
    else if (passed.length > 0 && failed.length > 0)
      check.quarantined.push({ task: id, trials: [...passed, ...failed] });
    else if (failed.length > 0) check.regressions.push({ task: id, trials: failed });
    else if (passed.length > 0) check.passed.push({ task: id, trials: passed });
    else check.unanswered.push({ task: id, trials: own.map(({ trial }) => trial) });
  }
  return check;
}

function differingParts(one: GoldenContent['lock'], other: GoldenContent['lock']): string[] {
  const parts = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort();
  return parts.filter((part) => one[part] !== other[part]);
}
