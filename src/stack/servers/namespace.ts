import type { Connection } from '@temporalio/client';
import { waitUntil } from '../wait-until.js';
import { SEARCH_ATTRIBUTE_TYPES } from '../../domain/campaign/search-attributes.js';
import { UserError } from '../../domain/failure/user-error.js';

/** The namespace Durabench works in unless TEMPORAL_NAMESPACE or a profile names another. */
export const DEFAULT_NAMESPACE = 'durabench';
/** How long closed workflows stay visible. Nothing depends on it: the record is in Postgres. */
export const RETENTION_DAYS = 30;

// temporal.api.enums.v1.IndexedValueType
const TYPE_NUMBERS = { KEYWORD: 2, DOUBLE: 4 } as const;
/** Search attributes of every Durabench workflow, by number of their type. SQL visibility allows 10 Keyword and 3 Double. */
export const SEARCH_ATTRIBUTES: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(SEARCH_ATTRIBUTE_TYPES).map(([name, type]) => [name, TYPE_NUMBERS[type]]),
);

// gRPC status codes
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;
// A new namespace reaches every part of the server within about a second (its cache is refreshed once a second by
// the dev server, every 10 s by a production server).
const SETTLE_TIMEOUT_MS = 30_000;

/**
 * Registers the namespace with 30 days' retention and the search attributes, whatever is missing of them, and waits
 * until the server can be asked for them. The same for the dev server, a server of one's own and Temporal Cloud.
 * @throws UserError when the server forbids it or an attribute exists with another type
 */
export async function ensureNamespace(connection: Connection, namespace: string): Promise<void> {
  await registerNamespace(connection, namespace);
  let last: unknown;
  const settled = await waitUntil(
    () =>
      addMissingAttributes(connection, namespace).catch((error: unknown) => {
        if (error instanceof UserError) throw error;
        if (isStatus(error, PERMISSION_DENIED) || isStatus(error, UNIMPLEMENTED)) throw forbidden(namespace, error);
        last = error;
        return false;
      }),
    { timeoutMs: SETTLE_TIMEOUT_MS, intervalMs: 200 },
  );
  if (!settled) throw new Error(`search attributes of namespace ${namespace} did not appear`, { cause: last });
}

/**
 * The namespace's own id: tells a server from every other one, also from one that listens under the same address
 * later. The namespace has to exist.
 */
export async function namespaceId(connection: Pick<Connection, 'workflowService'>, namespace: string): Promise<string> {
  const { namespaceInfo } = await connection.workflowService.describeNamespace({ namespace });
  return namespaceInfo?.id || namespace;
}

async function registerNamespace(connection: Connection, namespace: string): Promise<void> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return;
  } catch (error) {
    if (isStatus(error, PERMISSION_DENIED)) throw forbidden(namespace, error);
    if (!isStatus(error, NOT_FOUND)) throw error;
  }
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      description: 'Durabench campaigns',
      workflowExecutionRetentionPeriod: { seconds: RETENTION_DAYS * 86_400 } as never, // Long or number on the wire
    });
  } catch (error) {
    if (isStatus(error, ALREADY_EXISTS)) return; // another worker was faster
    if (isStatus(error, PERMISSION_DENIED) || isStatus(error, UNIMPLEMENTED)) throw forbidden(namespace, error);
    throw error;
  }
}

/** @returns whether all are there and a query over them is answered */
async function addMissingAttributes(connection: Connection, namespace: string): Promise<boolean> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing: Record<string, number> = {};
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES)) {
    const present = customAttributes?.[name];
    if (present === undefined || present === null) missing[name] = type;
    else if (Number(present) !== type) throw wrongType(namespace, name);
  }
  if (Object.keys(missing).length > 0) {
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: missing });
    return false;
  }
  const query = Object.keys(SEARCH_ATTRIBUTES)
    .map((name) => `${name} IS NOT NULL`)
    .join(' OR ');
  await connection.workflowService.listWorkflowExecutions({ namespace, query, pageSize: 1 });
  return true;
}

function isStatus(error: unknown, code: number): boolean {
  return (error as { code?: unknown }).code === code;
}

function forbidden(namespace: string, cause: unknown): UserError {
  const parts = {
    message: `The Temporal server does not let us set up the namespace "${namespace}": ${(cause as { details?: string }).details ?? String(cause)}`,
    expected: `a namespace that has the search attributes ${Object.keys(SEARCH_ATTRIBUTES).join(', ')} (Keyword; DurabenchCostUsd: Double), or the right to add them`,
    fix: 'Have the administrator create the namespace and its attributes, name it in TEMPORAL_NAMESPACE, and check the API key.',
  };
  return new UserError('environment', parts, { cause });
}

function wrongType(namespace: string, attribute: string): UserError {
  return new UserError('environment', {
    message: `The search attribute ${attribute} of namespace "${namespace}" has another type than Durabench writes.`,
    expected: 'Keyword for all of them, Double for DurabenchCostUsd',
    fix: 'Use another namespace (TEMPORAL_NAMESPACE), or remove and recreate the attribute.',
  });
}
