import { parsedJson } from '../../../src/domain/text/parsed-json.js';
/** How a step, or a leg of a job, ended. */
type ActResult = 'success' | 'failure' | 'skipped';

/** One step of a leg, as act tells it. */
interface ActStep {
  /** Its id, or its number; of a step in a composite action, with those around it: `setup.0`. */
  id: string;
  stage: 'Pre' | 'Main' | 'Post' | 'Set up';
  result: ActResult;
  /** Whether it failed and the job went on. */
  isTolerated: boolean;
  /** What it printed. */
  lines: string[];
  outputs: Record<string, string>;
  /** Numbers of the recorder that were printed in it. */
  tools: number[];
}

/** A job, or one leg of its matrix. */
export interface ActLeg {
  /** Key of the job; of one in a reusable workflow, with the caller's before it: `call/build`. */
  job: string;
  matrix: Record<string, unknown>;
  /** `unfinished`: act ended before it. */
  result: ActResult | 'unfinished';
  steps: ActStep[];
}

/** What act's log says of one run. */
export interface ActLog {
  legs: ActLeg[];
  /** Errors of act itself: workflows it refused, actions or images it could not have. */
  errors: string[];
  /** What act cannot do, by its own words; where there is any, the run proves nothing. */
  unsupported: string[];
}

/** A record of act's log; what else it has is of no use here. */
interface ActRecord {
  level?: string;
  msg?: string;
  job?: string;
  jobID?: string;
  matrix?: Record<string, unknown>;
  stage?: 'Pre' | 'Main' | 'Post';
  stepID?: string[];
  stepid?: string[];
  stepResult?: ActResult;
  jobResult?: ActResult;
  raw_output?: boolean;
  command?: string;
  name?: string;
  arg?: string;
}

const TOOL_LINE = /^durabench-tool (\d+) /;
const TOLERATED = 'Failed but continue next step';
const SETUP = '--setup-job';
/** Of the end of a job act says that it went well, whatever became of its steps. */
const COMPLETE = '--complete-job';
/** `workflow is not valid`: only what GitHub's own parser took is run. */
const UNSUPPORTED = [
  ...[/Skipping unsupported platform/, /[Uu]nable to clone/, /unsupported object type/, /not provided: /],
  ...[/workflow is not valid/, /registry-1\.docker\.io/],
];

/** Reads the log of `act --json --verbose`: records on standard output; on the other records without a job, and plain text. */
export function readActLog(output: string, errorOutput: string): ActLog {
  const records = recordsOf(output);
  const ofJobs = records.filter((record) => record.job !== undefined);
  const others = [...records.filter((record) => record.job === undefined), ...recordsOf(errorOutput)];
  const said = [...ofJobs.filter(({ raw_output: isOutput }) => isOutput !== true), ...others].map(
    ({ msg = '' }) => msg,
  );
  const plain = errorOutput.split('\n').filter((line) => line.trim() !== '' && parsed(line) === undefined);
  const errors = others.filter(({ level }) => level === 'error' || level === 'fatal').map(({ msg = '' }) => msg.trim());
  return {
    legs: [...groupBy(ofJobs, keyOf).values()].map(legOf),
    errors: [...errors, ...plain],
    unsupported: [...new Set([...said, ...plain].filter((text) => UNSUPPORTED.some((sign) => sign.test(text))))],
  };
}

function recordsOf(text: string): ActRecord[] {
  return text.split('\n').flatMap((line) => parsed(line) ?? []);
}

/** A line that is no record is noise: act prints plain text, and a log may end in the middle of a line. */
const parsed = (line: string): ActRecord | undefined =>
  line.startsWith('{') ? (parsedJson(line) as ActRecord | undefined) : undefined;

/** Jobs may have one name. */
function keyOf({ job = '', jobID = '', matrix = {} }: ActRecord): string {
  return `${job.trim()} ${jobID} ${JSON.stringify(matrix)}`;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function legOf(records: ActRecord[]): ActLeg {
  const [first = {}] = records;
  const steps = stepsOf(records);
  return { job: jobPath(first), matrix: first.matrix ?? {}, result: resultOf(records, steps), steps };
}

/** `workflow/call/callee/build-2` with the id `build` is the job `build` that `call` calls. */
function jobPath({ job = '', jobID = '' }: ActRecord): string {
  const between = job.trim().split('/').slice(1, -1);
  // Of a called workflow both its caller and its own name are there.
  return [...between.filter((_, index) => index % 2 === 0), jobID].join('/');
}

/**
 * By the steps: once a leg of a matrix has failed act says so of every leg that ends later, and of a job that called others
 * it says nothing.
 */
function resultOf(records: ActRecord[], steps: ActStep[]): ActLeg['result'] {
  const told = records.find(({ jobResult }) => jobResult !== undefined)?.jobResult;
  if (steps.some(({ result, isTolerated }) => result === 'failure' && !isTolerated)) return 'failure';
  if (told === undefined) return 'unfinished';
  return told === 'skipped' ? 'skipped' : 'success';
}

function stepsOf(records: ActRecord[]): ActStep[] {
  const byStep = groupBy(
    records.filter((record) => idOf(record) !== null && idOf(record) !== COMPLETE),
    (record) => `${idOf(record)} ${record.stage ?? 'Set up'}`,
  );
  return [...byStep.values()].flatMap((ofStep) => stepOf(ofStep) ?? []);
}

function idOf({ stepID, stepid }: ActRecord): string | null {
  return (stepID ?? stepid)?.join('.') ?? null;
}

/** Null for one that was begun and never ended, where it printed nothing either. */
function stepOf(records: ActRecord[]): ActStep | null {
  const [first = {}] = records;
  const ended = records.findLast(({ stepResult }) => stepResult !== undefined)?.stepResult;
  const printed = records.filter(({ raw_output: isOutput }) => isOutput === true).map(({ msg = '' }) => msg);
  if (ended === undefined && printed.length === 0) return null;
  const lines = printed.map((line) => line.replace(/\r?\n$/, ''));
  const set = records.filter(({ command, name }) => command === 'set-output' && name !== undefined);
  return {
    id: idOf(first) ?? '',
    stage: idOf(first) === SETUP ? 'Set up' : (first.stage ?? 'Main'),
    // What never ended was killed.
    result: ended ?? 'failure',
    // By act itself: a step may print it.
    isTolerated: records.some(
      ({ msg = '', raw_output: isOutput, command }) =>
        isOutput !== true && command === undefined && msg.trim() === TOLERATED,
    ),
    lines: lines.filter((line) => !TOOL_LINE.test(line)),
    outputs: Object.fromEntries(set.map(({ name = '', arg = '' }) => [name, arg])),
    tools: lines.flatMap((line) => TOOL_LINE.exec(line)?.[1] ?? []).map(Number),
  };
}
