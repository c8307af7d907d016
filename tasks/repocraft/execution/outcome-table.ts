import type { RunEnd } from '../../../src/domain/failure/run-ends.js';

/** What came where the runner's report belongs. */
export type ReportState =
  /** Nothing, or the beginning of a line: the runner did not come to report, or what it wrote was lost on the way. */
  | 'none'
  /** Something else than one report with the nonce of this run. */
  | 'foreign'
  /** The runner's, and a test failed, or the candidate did something for which it fails. */
  | 'failing'
  /** The runner's, and what failed the tests was the machine: the kernel ended a process though its container had memory left. */
  | 'disturbed'
  /** The runner's, and everything selected passed. */
  | 'passing';

/** How its process ended: with 0, with something else, or as `RunEnd` has it. */
export type EndState = 'ok' | 'other' | Exclude<RunEnd['kind'], 'exited'>;

/** What both together mean: `infrastructure` is run again, and blames nobody but the machine; `as-reported` fails as the report says. */
export type Meaning = 'passed' | 'as-reported' | 'no-report' | 'timeout' | 'out-of-memory' | 'infrastructure';

/**
 * What each combination means. A candidate can end what runs it, sleep, and take all memory; it cannot write a report, for it never has
 * the nonce, nor the runner's exit status, nor keep the engine from answering. So a report is believed against every other source, but
 * passes only with an end that agrees; without a report what a candidate can have done is its failure, the rest the machine's.
 * A runner ends with 0 only after a report that passes: a 0 without one says that the report was lost.
 */
export const OUTCOME_TABLE: Readonly<Record<ReportState, Readonly<Record<EndState, Meaning>>>> = {
  passing: {
    ok: 'passed',
    other: 'infrastructure',
    cpu: 'infrastructure',
    wall: 'infrastructure',
    memory: 'infrastructure',
    lost: 'infrastructure',
  },
  failing: {
    ok: 'as-reported',
    other: 'as-reported',
    cpu: 'as-reported',
    wall: 'as-reported',
    memory: 'as-reported',
    lost: 'as-reported',
  },
  disturbed: {
    ok: 'infrastructure',
    other: 'infrastructure',
    cpu: 'infrastructure',
    wall: 'infrastructure',
    memory: 'infrastructure',
    lost: 'infrastructure',
  },
  none: {
    ok: 'infrastructure',
    other: 'no-report',
    cpu: 'timeout',
    wall: 'timeout',
    memory: 'out-of-memory',
    lost: 'infrastructure',
  },
  foreign: {
    ok: 'no-report',
    other: 'no-report',
    cpu: 'timeout',
    wall: 'timeout',
    memory: 'out-of-memory',
    lost: 'no-report',
  },
};

/** The column of an end. */
export function endStateOf(end: RunEnd): EndState {
  if (end.kind !== 'exited') return end.kind;
  return end.status === 0 ? 'ok' : 'other';
}
