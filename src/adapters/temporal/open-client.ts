import { Client, WorkflowNotFoundError, type ConnectionLike, type WorkflowExecutionInfo } from '@temporalio/client';
import type { TemporalNames } from '../../domain/campaign/temporal-names.js';

/** A namespace as one installation sees it: other installations may share it. */
export interface OwnNamespace {
  client: Client;
  names: TemporalNames;
  /** The workflow code that workflows are started on now: digest of its bundle. */
  code: () => Promise<string>;
}

/** A client for campaigns over a connection, which stays the caller's to close. */
export function openClient(connection: ConnectionLike, namespace: string): Client {
  return new Client({ connection, namespace });
}

/** Workflows of one type that run, of this installation alone: their ids begin as `prefix` says. */
export async function running(
  { client }: Pick<OwnNamespace, 'client'>,
  { type, prefix }: { type: string; prefix: string },
): Promise<WorkflowExecutionInfo[]> {
  const found: WorkflowExecutionInfo[] = [];
  for await (const info of client.workflow.list({ query: `WorkflowType = '${type}' AND ExecutionStatus = 'Running'` }))
    if (info.workflowId.startsWith(prefix)) found.push(info);
  return found;
}

/** For `catch`: a workflow that has ended meanwhile, never started, or was forgotten by the server is none to ask. */
export function ignoreAbsent(error: unknown): undefined {
  if (error instanceof WorkflowNotFoundError) return undefined;
  throw error;
}
