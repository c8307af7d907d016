import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { Json } from '../../../../../src/contract/json.js';
import type { MadeCandidate } from '../../../../../src/contract/trial.js';
import { DomainFailure } from '../../../../../src/domain/failure/domain-failure.js';
import { GRAPH_STAGES, type GraphStage } from '../graph/planning-graph.js';
import type {
  Frozen,
  ModulePlan,
  Planned,
  Proposed,
  Sorted,
  Started,
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
import { zerorepoModule, type ModuleInput, type ModuleResult } from './zerorepo-module.js';

/** One ZeroRepo generation while it runs. */
interface Generation extends OwnWorkflowInput {
  options: ZeroRepoSettings;
}

/** Plans a graph, designs and implements its modules, verifies the tree and freezes it: the candidate. */
export async function zerorepo(input: OwnWorkflowInput): Promise<OwnWorkflowResult> {
  return withFailureMapping(async () => {
    const generation = { ...input, options: input.settings as unknown as ZeroRepoSettings };
    try {
      return { ended: 'made', candidate: await make(generation) };
    } catch (error) {
      if (error instanceof AdmissionDenied) return error.how;
      throw error;
    }
  });
}

async function make(generation: Generation): Promise<MadeCandidate> {
  const reached: Reached = { graph: null, isCut: false };
  try {
    await planAndBuild(generation, reached);
  } catch (error) {
    if (failureOf(error).type !== 'system.limit-reached' || isCancellation(error)) throw error;
    // The system's own limit: what is there is the candidate, and final.
    reached.isCut = true;
  }
  const freeze = { graph: reached.graph, isCut: reached.isCut };
  const frozen = await step<Frozen>(generation, 'check/freeze', freeze, 'verify and freeze the tree');
  const { candidate, figures, plan } = frozen;
  return { ...candidate, figures, ...(plan === null ? {} : { plan }) };
}

/** The last graph, which is what is frozen where a limit ends the generation. */
interface Reached {
  graph: string | null;
  isCut: boolean;
}

async function planAndBuild(generation: Generation, reached: Reached): Promise<void> {
  const start = await step<Started>(generation, 'plan/start', { n: generation.n }, 'start planning');
  const note = <Result extends { graph: string }>(planned: Result): Result => {
    reached.graph = planned.graph;
    return planned;
  };
  note(start);
  const isPlanned = (stage: GraphStage): boolean =>
    start.stage !== null && GRAPH_STAGES.indexOf(start.stage) >= GRAPH_STAGES.indexOf(stage);
  let plan: Planned = start;
  if (!isPlanned('features')) plan = await proposeFeatures(generation, plan, note);
  if (plan.features === 0) return;
  if (!isPlanned('modules')) plan = await sortFeatures(generation, plan, note);
  if (!isPlanned('files')) plan = await layOutModules(generation, plan, note);
  if (!isPlanned('flows')) {
    plan = note(await step<Planned>(generation, 'plan/data-flow', { graph: plan.graph }, 'data flow between modules'));
  }
  if (!isPlanned('interfaces')) plan = await designInterfaces(generation, plan, note);
  const checked = await step<Planned>(generation, 'check/skeleton', { graph: plan.graph }, 'compile the skeleton');
  await implement(generation, note(checked).graph);
}

type Note = <Result extends { graph: string }>(planned: Result) => Result;

async function proposeFeatures(generation: Generation, from: Planned, note: Note): Promise<Planned> {
  const { iterations, patience } = generation.options;
  let plan = from;
  let inVain = 0;
  for (let iteration = 1; iteration <= iterations && inVain < patience; iteration += 1) {
    const input = { graph: plan.graph, iteration };
    const proposed: Proposed = await step(
      generation,
      `plan/propose-${iteration}`,
      input,
      `features, round ${iteration}`,
    );
    inVain = proposed.accepted === 0 ? inVain + 1 : 0;
    plan = note(proposed);
  }
  return plan;
}

async function sortFeatures(generation: Generation, from: Planned, note: Note): Promise<Planned> {
  const { rounds, patience } = generation.options;
  let plan = from;
  let open = Infinity;
  let inVain = 0;
  for (let round = 1; ; round += 1) {
    // The last round settles by rule what the model leaves.
    const isLast = round >= rounds || inVain >= patience;
    const input = { graph: plan.graph, round, isLast };
    const sorted: Sorted = await step(generation, `plan/refactor-${round}`, input, `modules, round ${round}`);
    plan = note(sorted);
    if (sorted.isDone) return plan;
    inVain = sorted.open < open ? 0 : inVain + 1;
    open = sorted.open;
  }
}

async function layOutModules(generation: Generation, from: Planned, note: Note): Promise<Planned> {
  let plan = from;
  for (let module = 0, left = 1; left > 0; module += 1) {
    const input = { graph: plan.graph, module };
    const laid = await step<Planned & { left: number }>(
      generation,
      `plan/layout-${module}`,
      input,
      'folders and files',
    );
    plan = note(laid);
    left = laid.left;
  }
  return plan;
}

/** Base classes first; then each module as soon as those upstream of it are designed. */
async function designInterfaces(generation: Generation, from: Planned, note: Note): Promise<Planned> {
  const shared = await step<Planned>(generation, 'plan/base-classes', { graph: from.graph }, 'shared data structures');
  note(shared);
  const plan = await modulesOf(generation, shared.graph);
  const designs = inOrder(plan, async (module, upstream: string[]) => {
    const before = await merged(generation, `plan/before-${module}`, [shared.graph, ...upstream]);
    const { graph } = await runModule(generation, { phase: 'design', graph: before, module });
    return graph ?? before;
  });
  const graphs = await allOf(designs);
  const whole = await merged(generation, 'plan/interfaces', [shared.graph, ...graphs]);
  return note({ ...shared, graph: whole });
}

/** Each module as soon as those upstream of it are there; then the whole. */
async function implement(generation: Generation, graph: string): Promise<void> {
  const plan = await modulesOf(generation, graph);
  await allOf(inOrder(plan, (module) => runModule(generation, { phase: 'implement', graph, module })));
  const { blob: tests } = await step<Written>(generation, 'write/end-to-end', { graph }, 'end-to-end test');
  await step(generation, 'try/end-to-end', { graph, tests }, 'run the end-to-end test');
  await step(generation, 'write/readme', { graph }, 'README');
}

const modulesOf = (generation: Generation, graph: string): Promise<ModulePlan> =>
  step<ModulePlan>(generation, 'plan/modules', { graph }, 'order of the modules');

async function merged(generation: Generation, name: string, graphs: string[]): Promise<string> {
  const { graph } = await step<Planned>(generation, name, { graphs }, 'merge module designs');
  return graph;
}

/** Starts each module's work when the work of those upstream is done; a module listed first is upstream of none later. */
function inOrder<Result>(
  { upstream }: ModulePlan,
  work: (module: number, upstream: Result[]) => Promise<Result>,
): Promise<Result>[] {
  const ends = new Map<number, Promise<Result>>();
  const endOf = (module: number): Promise<Result> => {
    const known = ends.get(module);
    if (known) return known;
    const end = Promise.all((upstream[module] ?? []).map(endOf)).then((before) => work(module, before));
    ends.set(module, end);
    return end;
  };
  return upstream.map((_, module) => endOf(module));
}

/** All results; the first error only when all have ended, so that nothing goes on behind the caller's back. */
async function allOf<Result>(work: Promise<Result>[]): Promise<Result[]> {
  const ends = await Promise.allSettled(work);
  // Held and stopped come before what else went wrong: nothing is judged before everything may run.
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
  const first = errors.find((error) => error instanceof AdmissionDenied) ?? errors[0];
  if (first !== undefined) throw first as Error;
  return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
}

async function runModule(
  { suite, generationId, epoch, n, settings }: Generation,
  part: Pick<ModuleInput, 'phase' | 'graph' | 'module'>,
): Promise<{ graph: string | null }> {
  const input: ModuleInput = { suite, generationId, epoch, n, settings, ...part };
  try {
    const child = await startNamedChild({
      workflow: zerorepoModule,
      input,
      workflowId: ownNames().workflow('zerorepo-module', `${generationId}/${part.module}-${part.phase}`),
      summary: `${part.phase} module ${part.module + 1}`,
    });
    const result: ModuleResult = await child.result();
    if (result.ended === 'done') return { graph: result.graph };
    throw new AdmissionDenied(result);
  } catch (error) {
    if (error instanceof AdmissionDenied || CancellationScope.current().consideredCancelled) throw error;
    const { type, ...problem } = failureOf(error);
    throw new DomainFailure(type, problem);
  }
}

async function step<Result>(generation: Generation, name: string, input: Json, summary: string): Promise<Result> {
  await checkAdmission(generation);
  return generationStep<Result>(generation, { step: name, input, summary });
}
