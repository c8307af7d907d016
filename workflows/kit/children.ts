import { sleep, startChild, TemporalFailure, workflowInfo, type ChildWorkflowHandle } from '@temporalio/workflow';
import type { Workflow } from '@temporalio/workflow';
import { namesBeside, type TemporalNames } from '../../src/domain/campaign/temporal-names.js';
import { CHILD_ID_TAKEN, CHILD_OPTIONS } from './options.js';

/**
 * The names of the installation this workflow belongs to. By its own id, which is in its history: the name of the queue
 * it is polled from is the worker's, and a replay has another.
 */
export const ownNames = (): TemporalNames => namesBeside(workflowInfo().workflowId);

/** A child to start: its function, input, id, and one line for the UI. */
export interface ChildStart<Child extends Workflow> {
  workflow: Child;
  input: Parameters<Child>[0];
  workflowId: string;
  summary: string;
}

/**
 * Starts a child under its stable id. Where a child of an earlier run still closes under that id (its parent was
 * terminated, so it was asked to cancel), waits until the id is free.
 * @throws WorkflowExecutionAlreadyStartedError when it is not free after two minutes
 */
export async function startNamedChild<Child extends Workflow>(
  start: ChildStart<Child>,
): Promise<ChildWorkflowHandle<Child>> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await startChild(start.workflow, {
        ...CHILD_OPTIONS,
        args: [start.input] as never,
        workflowId: start.workflowId,
        staticSummary: start.summary,
      });
    } catch (error) {
      if (!isIdTaken(error) || tried >= CHILD_ID_TAKEN.tries) throw error;
      await sleep(CHILD_ID_TAKEN.pause);
    }
  }
}

/** By name: the class is not exported to workflow code. */
function isIdTaken(error: unknown): boolean {
  return error instanceof TemporalFailure && error.name === 'WorkflowExecutionAlreadyStartedError';
}
