import { CancellationScope, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { Json } from '../../../../../src/contract/json.js';
import { DomainFailure } from '../../../../../src/domain/failure/domain-failure.js';
import type {
  Designed,
  ScheduledItem,
  SchedulePage,
  Tried,
  UnitStatus,
  Written,
  ZeroRepoSettings,
} from '../graph/steps.js';
import { ownNames, startNamedChild } from '../../../../../workflows/kit/children.js';
import { withFailureMapping, failureOf } from '../../../../../workflows/kit/failure-of.js';
import {
  generationStep,
  AdmissionDenied,
  checkAdmission,
  type OwnWorkflowInput,
  type OwnWorkflowResult,
} from '../../../../../workflows/kit/own-workflow.js';
import { zerorepoUnit, type UnitInput, type UnitResult } from './zerorepo-unit.js';

/** What to do with one module of a graph. */
export interface ModuleInput extends OwnWorkflowInput {
  phase: 'design' | 'implement';
  graph: string;
  /** Place of the module in the graph. */
  module: number;
  /** How often the workflow went on in a new history; none of a module of the usual size does. */
  part?: number;
  /** Files that were designed in the histories before. */
  designed?: number;
}

/** Events that a history may have; Temporal warns at 10,240. */
const MOST_EVENTS = 8_000;
/** Events that a unit costs its module at most: admitted, started, ended, each with a workflow task. Nine is usual. */
const EVENTS_A_UNIT = 16;
/** Of the steps that end a module, or design a file. */
const EVENTS_AT_THE_END = 50;

/** `graph`: with the module's interfaces, after its design. */
export type ModuleResult = { ended: 'done'; graph: string | null } | Exclude<OwnWorkflowResult, { ended: 'made' }>;

/** Designs the interfaces of a module file by file, or implements its units in topological order. */
export async function zerorepoModule(input: ModuleInput): Promise<ModuleResult> {
  return withFailureMapping(async () => {
    try {
      if (input.phase === 'design') return { ended: 'done', graph: await design(input) };
      await implement(input);
      return { ended: 'done', graph: null };
    } catch (error) {
      if (error instanceof AdmissionDenied) return error.how;
      throw error;
    }
  });
}

async function design(input: ModuleInput): Promise<string> {
  const { designed: before = 0, part = 0 } = input;
  let { graph } = input;
  for (let file = before, left = 1; left > 0; file += 1) {
    if (file > before && isFull(input, EVENTS_AT_THE_END))
      return continueAsNew<typeof zerorepoModule>({ ...input, graph, part: part + 1, designed: file });
    const designed = await step<Designed>(
      input,
      `design/${input.module}-${file}`,
      { graph, module: input.module, file },
      'design a file',
    );
    ({ graph, left } = designed);
  }
  return graph;
}

async function implement(input: ModuleInput): Promise<void> {
  const { graph, module } = input;
  const { items, ended } = await schedule(input);
  const isWhole = await runItems(input, items, ended);
  if (!isWhole) return continueAsNew<typeof zerorepoModule>({ ...input, part: (input.part ?? 0) + 1 });
  const about = { graph, module };
  await step<Tried>(input, `try/regression-${module}`, about, 'regression of the module');
  const { blob } = await step<Written>(input, `write/integration-${module}`, about, 'integration tests');
  if (blob === null) return;
  await step<Tried>(input, `try/integration-${module}`, { ...about, tests: blob }, 'run the integration tests');
}

interface Schedule {
  items: ScheduledItem[];
  ended: Map<string, UnitStatus>;
}

async function schedule(input: ModuleInput): Promise<Schedule> {
  const { graph, module, n, part = 0 } = input;
  const items: ScheduledItem[] = [];
  const ended = new Map<string, UnitStatus>();
  for (let from: number | null = 0; from !== null;) {
    // With run and part, because what is done already differs from one to the other.
    const page: SchedulePage = await step(
      input,
      `schedule/${module}-${from}`,
      { graph, module, from, n, part },
      'order of the units',
    );
    items.push(...page.items);
    for (const [id, status] of Object.entries(page.ended)) ended.set(id, status);
    from = page.next;
  }
  return { items, ended };
}

/**
 * Runs items in a window, each when those it comes after have ended. What is started depends on ends, what is asked never.
 * @returns false where the history is full: the others are for the next one
 */
async function runItems(input: ModuleInput, items: ScheduledItem[], ended: Map<string, UnitStatus>): Promise<boolean> {
  const { window } = input.settings as unknown as ZeroRepoSettings;
  // What runs when no further unit is begun has to fit in too.
  const room = window * EVENTS_A_UNIT + EVENTS_AT_THE_END;
  const isDone = items.map(({ units }) => units.every(([id]) => ended.has(id)));
  const waiting = new Set(items.keys());
  // Something is begun in every history, however short: a plan must come to its end.
  let begun = 0;
  isDone.forEach((done, place) => done && waiting.delete(place));
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  const start = (place: number, item: ScheduledItem): void => {
    waiting.delete(place);
    begun += 1;
    const work = runItem(input, item, ended)
      .then(() => void (isDone[place] = true))
      .catch((error: unknown) => void errors.push(error))
      .finally(() => running.delete(work));
    running.add(work);
  };
  const isOver = (): boolean => begun > 0 && isFull(input, room);
  while (waiting.size > 0 || running.size > 0) {
    for (const place of waiting) {
      if (running.size >= window || errors.length > 0 || isOver()) break;
      const item = items[place];
      if (item?.after.every((other) => isDone[other])) start(place, item);
    }
    if (running.size === 0) break;
    await Promise.race(running);
  }
  const first = errors.find((error) => error instanceof AdmissionDenied) ?? errors[0];
  if (first !== undefined) throw first as Error;
  if (waiting.size === 0) return true;
  if (isOver()) return false;
  throw new DomainFailure('harness.bug', `${waiting.size} units wait for one another`);
}

/** True where the history has no room for so many more events. */
function isFull({ settings }: ModuleInput, room: number): boolean {
  const { mostEvents = MOST_EVENTS } = settings as unknown as ZeroRepoSettings;
  return workflowInfo().historyLength > mostEvents - room;
}

async function runItem(input: ModuleInput, item: ScheduledItem, ended: Map<string, UnitStatus>): Promise<void> {
  await checkAdmission(input);
  const { suite, generationId, epoch, n, settings, graph } = input;
  const open = item.units.filter(([id]) => !ended.has(id));
  const isBlocked = ([, , needs]: ScheduledItem['units'][number]): boolean =>
    needs.some((id) => (ended.get(id) ?? 'done') !== 'done');
  const units = open.map((unit): UnitInput['units'][number] => [unit[0], unit[1], isBlocked(unit)]);
  const [first = '', fingerprint = ''] = open[0] ?? [];
  try {
    const child = await startNamedChild({
      workflow: zerorepoUnit,
      input: { suite, generationId, epoch, n, settings, graph, units },
      // The fingerprint makes it unique where a long path is cut.
      workflowId: ownNames().workflow('zerorepo-unit', `${generationId}/${first.slice(-60)}@${fingerprint}`),
      summary: open
        .map(([id]) => id.split('::')[1])
        .join(', ')
        .slice(0, 100),
    });
    const result: UnitResult = await child.result();
    if (result.ended !== 'done') throw new AdmissionDenied(result);
    for (const [id, status] of Object.entries(result.units)) ended.set(id, status);
  } catch (error) {
    if (error instanceof AdmissionDenied || CancellationScope.current().consideredCancelled) throw error;
    const { type, ...problem } = failureOf(error);
    throw new DomainFailure(type, problem);
  }
}

async function step<Result>(input: ModuleInput, name: string, about: Json, summary: string): Promise<Result> {
  await checkAdmission(input);
  return generationStep<Result>(input, { step: name, input: about, summary });
}
