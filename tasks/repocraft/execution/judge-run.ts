import type { SandboxResult } from '../../../src/ports/sandbox.js';
import { runnerReport, type ExecutionReason, type ExecutionReport, type RunnerReport } from './execution-report.js';

/** Characters of a message, as in `python/runner/harness.py`. */
const MESSAGE_CHARACTERS = 500;

/** What was asked of the run. */
interface Asked {
  select: readonly string[];
  /** The CPU limit. */
  cpuSeconds: number;
}

/** What a finished run means. Pure: the same arguments always give the same report. */
export function judgeRun(result: SandboxResult, nonce: string, asked: Asked, attempts: number): ExecutionReport {
  const report = believableReport(result, nonce);
  const trouble = problemOf(result, report, asked);
  return {
    passed: trouble === null,
    reason: trouble?.reason ?? null,
    message: trouble === null ? null : cut(trouble.message),
    tests: report?.tests ?? [],
    output: result.stderr,
    report,
    timings: {
      cpuSeconds: report?.cpuSeconds ?? result.cpuSeconds,
      wallSeconds: result.wallSeconds,
      container: result.container,
      attempts,
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
  try {
    const parsed = runnerReport.safeParse(JSON.parse(text));
    return parsed.success && parsed.data.nonce === nonce ? parsed.data : null;
  } catch {
    return null;
  }
}

interface Trouble {
  reason: ExecutionReason;
  message: string;
}

/** Why it is not a pass, or null. What happened to the whole process comes before what single tests say. */
function problemOf(result: SandboxResult, report: RunnerReport | null, asked: Asked): Trouble | null {
  if (result.timeLimit !== null)
    return { reason: 'candidate.timeout', message: `the ${result.timeLimit} limit was reached` };
  if (result.outOfMemory) return { reason: 'candidate.out-of-memory', message: 'the memory limit was reached' };
  if (report === null) {
    return { reason: 'candidate.no-report', message: `the runner ended with ${result.exitCode} and no report` };
  }
  return (
    processTrouble(report, asked.cpuSeconds) ??
    collectionTrouble(report, asked.select) ??
    testTrouble(report) ??
    agreement(result, report)
  );
}

function processTrouble(report: RunnerReport, cpuLimit: number): Trouble | null {
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

function collectionTrouble(report: RunnerReport, select: readonly string[]): Trouble | null {
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

function testTrouble(report: RunnerReport): Trouble | null {
  const bad = report.tests.find((test) => test.outcome === 'failed' || test.outcome === 'error');
  if (bad) return { reason: `test.${bad.kind ?? 'other'}`, message: `${bad.id}: ${bad.message}` };
  const skipped = report.tests.find((test) => test.outcome === 'skipped');
  if (skipped) return { reason: 'test.skipped', message: `${skipped.id}: ${skipped.message}` };
  const told = new Set(report.tests.map((test) => test.id));
  return report.collected.every((id) => told.has(id)) ? null : exited(report);
}

/** Everything says passed: then the runner's own judgement and its exit status must say so as well. */
function agreement(result: SandboxResult, report: RunnerReport): Trouble | null {
  if (report.complete && result.exitCode === 0 && report.childExit === 0) return null;
  return exited(report);
}

function exited(report: RunnerReport): Trouble {
  const status = report.childExit ?? report.signal;
  return { reason: 'candidate.exited', message: `the test process ended with ${status} before all tests were over` };
}

function functionOf(id: string): string {
  return id.split('[', 1)[0] ?? id;
}
