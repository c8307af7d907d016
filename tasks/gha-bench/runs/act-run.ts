import { compilePattern } from '../semantics/model/pattern.js';
import type { ActLeg, ActLog } from './act-log.js';
import type { Role } from './scenario.js';

/** A tool that a job ran, as the recorder was told. */
export interface ToolRun {
  tool: string;
  argv: string[];
  cwd: string;
  /** 0: run by a step; else by a tool that a step ran. */
  depth: number;
  /** Null: it never ended. */
  exit: number | null;
}

/** One run of act, as it can be judged. */
export interface ActRun {
  log: ActLog;
  /** In the order they were started: the first has the number 1. */
  tools: ToolRun[];
  artifacts: { name: string; files: { path: string; bytes: number; text: string | null }[] | null }[];
  /** Of the scenario, by name. */
  secrets: Record<string, string>;
  /** All that was logged. */
  text: string;
  /** What ended it: its own end, a limit that the jobs reached, or act's breaking down over the workflow. */
  ended: 'itself' | 'time' | 'output' | 'disk' | 'memory' | 'processes' | 'panic';
}

/** Runs that both channels tell of: the recorder gave the number, and a step of a leg printed it. */
export function agreed({ log, tools }: ActRun): { number: number; run: ToolRun }[] {
  const printed = new Set(log.legs.flatMap(toolNumbers));
  return tools.flatMap((run, index) => (run.depth === 0 && printed.has(index + 1) ? [{ number: index + 1, run }] : []));
}

/** Numbers of the recorder that were printed in a leg. */
export function toolNumbers({ steps }: ActLeg): number[] {
  return steps.flatMap(({ tools }) => tools);
}

/** Texts are the candidate's: no pattern may take long on them. */
export const isLike = (pattern: string, text: string): boolean => compilePattern(pattern).matches(text);

/** As it would be typed, without quotes. */
export function commandLine({ tool, argv }: ToolRun): string {
  return [tool, ...argv].join(' ');
}

/** The legs that a role means, by what they did. */
export function legsOf({ job, runs, prints, matrix = {} }: Role, run: ActRun): ActLeg[] {
  const isMeant = (leg: ActLeg): boolean => {
    if (job !== undefined && leg.job !== job) return false;
    if (Object.entries(matrix).some(([key, value]) => String(leg.matrix[key]) !== String(value))) return false;
    if (prints !== undefined && !leg.steps.some(({ lines }) => lines.some((line) => isLike(prints, line))))
      return false;
    if (runs === undefined) return true;
    const numbers = new Set(toolNumbers(leg));
    return agreed(run).some(({ number, run: each }) => numbers.has(number) && isLike(runs, commandLine(each)));
  };
  return run.log.legs.filter(isMeant);
}

export function roleText({ job, runs, prints, matrix }: Role): string {
  const what = [
    job ?? null,
    runs === undefined ? null : `what runs /${runs}/`,
    prints === undefined ? null : `what prints /${prints}/`,
    matrix ? matrixText(matrix) : null,
  ];
  return what.filter((each) => each !== null).join(' ') || 'any job';
}

export function legsText(found: readonly ActLeg[]): string {
  return found.map(({ job, matrix, result }) => `${job} ${matrixText(matrix)} ${result}`).join('; ') || 'no such job';
}

export function matrixText(values: Record<string, unknown>): string {
  const pairs = Object.entries(values).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${pairs.map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', ')}}`;
}
