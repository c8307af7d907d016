import { parsedJson } from '../../../src/domain/text/parsed-json.js';
import type { SandboxResult } from '../../../src/ports/sandbox.js';
import type { RunEnd } from '../../../src/domain/failure/run-ends.js';
import {
  runnerReport,
  type ExecutionReason,
  type ExecutionReport,
  type RunnerReport,
  type RunRecord,
} from './execution-report.js';
import { endStateOf, OUTCOME_TABLE, type ReportState } from './outcome-table.js';

/** Characters of a message, as in `python/runner/harness.py`. */
const MESSAGE_CHARACTERS = 500;

/** What was asked of the run. */
interface Asked {
  select: readonly string[];
  /** The CPU limit. */
  cpuSeconds: number;
}

/** A run in the sandbox as it ended, whether or not anybody can tell how. */
export interface EndedRun {
  end: RunEnd;
  result: SandboxResult;
  nonce: string;
}

/** What a run means, with all it was read from. Pure: the same arguments always give the same record. */
export function readRun({ end, result, nonce }: EndedRun, asked: Asked): RunRecord {
  const report = believableReport(result, nonce);
  const reported = stateOf(result, report, asked);
  const meaning = OUTCOME_TABLE[reported][endStateOf(end)];
  return { reported, end, meaning, evidence: result.evidence, stdoutBytes: result.stdout.totalBytes, report };
}

/**
 * What a run means that is not to be run again; `runs`: it and those before it.
 * @throws TypeError for one that means `infrastructure`
 */
export function judgeRun(result: SandboxResult, runs: readonly RunRecord[], asked: Asked): ExecutionReport {
  const run = runs.at(-1);
  if (run === undefined || run.meaning === 'infrastructure') throw new TypeError('a run that judges nobody');
  const { report } = run;
  const problem = problemOf(run, asked);
  return {
    passed: problem === null,
    reason: problem?.reason ?? null,
    message: problem === null ? null : cut(problem.message),
    tests: report?.tests ?? [],
    output: result.stderr,
    report,
    runs: [...runs],
    timings: {
      cpuSeconds: report?.cpuSeconds ?? result.cpuSeconds,
      wallSeconds: result.wallSeconds,
      container: result.container,
      attempts: runs.length,
    },
  };
}

/** What a test raised may be of any length; the harness itself keeps as many characters of it. */
function cut(message: string): string {
  return message.length <= MESSAGE_CHARACTERS ? message : `${message.slice(0, MESSAGE_CHARACTERS - 1)}…`;
}

/** The runner's report, when standard output is exactly that: one line, of the right shape, with this run's nonce. */
function believableReport(result: SandboxResult, nonce: string): RunnerReport | null {
  const text = result.stdout.bytes.toString('utf8');
  if (result.stdout.truncated || !text.endsWith('\n') || text.indexOf('\n') !== text.length - 1) return null;
  const parsed = runnerReport.safeParse(parsedJson(text));
  return parsed.success && parsed.data.nonce === nonce ? parsed.data : null;
}

interface Problem {
  reason: ExecutionReason;
  message: string;
}

function stateOf({ stdout }: SandboxResult, report: RunnerReport | null, asked: Asked): ReportState {
  if (report === null) return stdout.bytes.includes('\n') || stdout.truncated ? 'foreign' : 'none';
  const problem = reportedProblem(report, asked);
  if (problem === null) return 'passing';
  return problem.reason === 'candidate.out-of-memory' && report.memoryLimitReached === false ? 'disturbed' : 'failing';
}

/** Why it is not a pass, or null. */
function problemOf({ meaning, end, report }: RunRecord, asked: Asked): Problem | null {
  if (meaning === 'timeout') return { reason: 'candidate.timeout', message: `the ${end.kind} limit was reached` };
  if (meaning === 'out-of-memory')
    return { reason: 'candidate.out-of-memory', message: 'the memory limit was reached' };
  if (report !== null) return reportedProblem(report, asked);
  const how = end.kind === 'exited' ? `ended with ${end.status}` : 'was cut off';
  return { reason: 'candidate.no-report', message: `the runner ${how} without a report` };
}

/** What happened to the whole process comes before what single tests say, and the runner's own judgement must agree. */
function reportedProblem(report: RunnerReport, { cpuSeconds, select }: Asked): Problem | null {
  return (
    processProblem(report, cpuSeconds) ??
    collectionProblem(report, select) ??
    testProblem(report) ??
    (report.complete && report.childExit === 0 ? null : exited(report))
  );
}

function processProblem(report: RunnerReport, cpuLimit: number): Problem | null {
  if (report.strayLines > 0) {
    return {
      reason: 'candidate.forged-report',
      message: `${report.strayLines} lines on the outcome socket are not the harness's`,
    };
  }
  const forged = report.forged[0];
  if (forged) return { reason: 'candidate.forged-report', message: `${forged.id} ${forged.how}`.trim() };
  const vacuous = report.vacuous[0];
  if (vacuous) return { reason: 'candidate.vacuous', message: `${vacuous.id} ${vacuous.how}`.trim() };
  if (report.outOfMemory)
    return { reason: 'candidate.out-of-memory', message: 'a process was killed at the memory limit' };
  // The first signal of the CPU limit can be ignored, the second, SIGKILL, cannot.
  const outOfCpu = report.signal === 'SIGXCPU' || (report.signal === 'SIGKILL' && report.childCpuSeconds >= cpuLimit);
  if (outOfCpu) return { reason: 'candidate.timeout', message: 'the cpu limit was reached' };
  if (report.signal !== null)
    return { reason: 'candidate.crashed', message: `the test process ended by ${report.signal}` };
  return null;
}

function collectionProblem(report: RunnerReport, select: readonly string[]): Problem | null {
  const problem = report.problems[0];
  if (problem)
    return { reason: problem.kind === null ? 'test.other' : `test.${problem.kind}`, message: problem.message };
  const collected = new Set(report.collected.map(functionOf));
  const missing = select.filter((name) => !collected.has(name));
  if (missing.length === 0 && report.collected.length > 0) return null;
  // Not found is pytest's 4 or 5; another status with nothing collected means that the process left while loading.
  if (report.collected.length === 0 && report.childExit !== 4 && report.childExit !== 5) return exited(report);
  return { reason: 'test.not-collected', message: `not found by pytest: ${missing.join(', ')}` };
}

function testProblem(report: RunnerReport): Problem | null {
  const bad = report.tests.find((test) => test.outcome === 'failed' || test.outcome === 'error');
  if (bad) return { reason: `test.${bad.kind ?? 'other'}`, message: `${bad.id}: ${bad.message}` };
  const skipped = report.tests.find((test) => test.outcome === 'skipped');
  if (skipped) return { reason: 'test.skipped', message: `${skipped.id}: ${skipped.message}` };
  const told = new Set(report.tests.map((test) => test.id));
  return report.collected.every((id) => told.has(id)) ? null : exited(report);
}

function exited(report: RunnerReport): Problem {
  const status = report.childExit ?? report.signal;
  return { reason: 'candidate.exited', message: `the test process ended with ${status} before all tests were over` };
}

function functionOf(id: string): string {
  return id.split('[', 1)[0] ?? id;
}
