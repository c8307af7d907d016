import { z } from 'zod';
import type { RunEvidence } from '../../../src/contract/run-evidence.js';
import type { RunEnd } from '../../../src/domain/failure/run-ends.js';
import type { CapturedOutput } from '../../../src/ports/sandbox.js';
import type { Meaning, ReportState } from './outcome-table.js';

/** Why a test did not pass, as far as its exception tells. */
export const FAILURE_KINDS = [
  'assertion',
  'import',
  'missing-package',
  'name',
  'attribute',
  'type',
  'signature',
  'timeout',
  'memory',
  'other',
] as const;
type FailureKind = (typeof FAILURE_KINDS)[number];

const kind = z.enum(FAILURE_KINDS);

const testOutcome = z.object({
  id: z.string(),
  outcome: z.enum(['passed', 'failed', 'error', 'skipped']),
  phase: z.enum(['setup', 'call', 'teardown']),
  kind: kind.nullable(),
  message: z.string(),
  /** What the parent answered at its checkpoint in the round reported here; `both`: it went on, and a copy of it raised; null when its body never asked. */
  told: z.enum(['go', 'raise', 'both']).nullable(),
});

/** One test case, parametrised ones with their `[…]`. */
export type TestOutcome = z.infer<typeof testOutcome>;

/** The one line `python/runner/runner.py` writes on the original standard output. */
export const runnerReport = z.object({
  nonce: z.string(),
  /** In every round: every selected test was collected, every collected case and copy did as it was told, and the child ended as it said it would. */
  complete: z.boolean(),
  /** 1: with a copy at each checkpoint. 2: without copies, since they were perhaps in the way, or in the second attempt at once. */
  rounds: z.union([z.literal(1), z.literal(2)]),
  /** Of the round that tells: one that forged, else the first that did not pass, else the second. Bodies that ended in the exception they were told to raise count as passed. */
  tests: z.array(testOutcome),
  collected: z.array(z.string()),
  /** What pytest could not collect. */
  problems: z.array(z.object({ where: z.string(), kind: kind.nullable(), message: z.string() })),
  /** Outcomes that do not go with what the case was told, and parts of the test framework that were exchanged. */
  forged: z.array(z.object({ id: z.string(), how: z.string() })),
  /** Comparisons in which wrong values held beside the right one: the test does not judge this candidate. */
  vacuous: z.array(z.object({ id: z.string(), how: z.string() })),
  /** Lines on the outcome socket without the run's secret: somebody tried to speak for the harness. */
  strayLines: z.number(),
  /**
   * Prints (`python/runner/code_prints.py`) of the larger functions that ran and came from no file the integrity scan reads, and
   * `unwatched` where it cannot be known what ran.
   */
  code: z.array(z.string()),
  childExit: z.number().nullable(),
  signal: z.string().nullable(),
  /** Names of processes that outlived the tests and were killed. */
  leftovers: z.array(z.string()),
  outOfMemory: z.boolean(),
  /** Whether the container has ever reached its limit of memory; null where the kernel does not say. */
  memoryLimitReached: z.boolean().nullable(),
  /** Of the round that printed more. */
  outputBytes: z.number(),
  /** Of the runner, all rounds and everything they started. */
  cpuSeconds: z.number(),
  /** Of the round that tells: what the CPU limit holds for. */
  childCpuSeconds: z.number(),
  /** Of the round that tells: how long it waited for its copies. */
  copySeconds: z.number(),
  wallSeconds: z.number(),
});

/** What the runner reported, checked. */
export type RunnerReport = z.infer<typeof runnerReport>;

/** Why a run of tests did not pass; dotted, `test.*` from an exception, `candidate.*` from how the process behaved. */
export type ExecutionReason =
  | `test.${FailureKind}`
  | 'test.skipped'
  | 'test.not-collected'
  | 'candidate.timeout'
  | 'candidate.out-of-memory'
  | 'candidate.no-report'
  | 'candidate.exited'
  | 'candidate.crashed'
  | 'candidate.forged-report'
  | 'candidate.vacuous'
  | 'candidate.hidden-copy'
  | 'candidate.unwatched';

/** One run in the sandbox, for evidence: every source of its outcome, and what they came to (`outcome-table.ts`). */
export interface RunRecord {
  reported: ReportState;
  end: RunEnd;
  meaning: Meaning;
  evidence: RunEvidence;
  /** Bytes on standard output, where a report belongs. */
  stdoutBytes: number;
  /** Null when there was none to believe. */
  report: RunnerReport | null;
}

/** How the selected tests ran on the candidate. */
export interface ExecutionReport {
  passed: boolean;
  /** Null when passed. */
  reason: ExecutionReason | null;
  /** One sentence from the failing test or about the process, at most 500 characters; null when passed. */
  message: string | null;
  tests: TestOutcome[];
  /** What the tests and the candidate printed, for evidence. */
  output: CapturedOutput;
  /** The runner's whole report; null when there is none to believe. */
  report: RunnerReport | null;
  /** Every run it took, in order: the last one is judged. */
  runs: RunRecord[];
  timings: {
    /** CPU seconds of the tests; null when neither runner nor engine could tell. */
    cpuSeconds: number | null;
    /** From the start of the command to its end, start-up of Python included. */
    wallSeconds: number;
    container: 'fresh' | 'pooled';
    /** 2 when a wall timeout with little CPU used was run once more alone. */
    attempts: number;
  };
}
