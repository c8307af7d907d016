import type { Environment, TemporalEnvironment } from '../config/env.js';
import { DEFAULT_NAMESPACE } from './servers/namespace.js';
import { readStackState, type StackAddresses } from './stack-state.js';
import { UserError } from '../domain/failure/user-error.js';

/** A Temporal server to talk to. */
export interface TemporalServer {
  /** host:port */
  address: string;
  namespace: string;
  /** TLS, API key and metadata beside the address. */
  connectionOptions: TemporalEnvironment['connectionOptions'];
  /** Base address of the Web UI, without trailing slash; `undefined` when unknown (an external server). */
  uiUrl: string | undefined;
}

/** The servers a command or a worker works with. */
export interface Services {
  /** Carries a password: never print it. */
  databaseUrl: string;
  temporal: TemporalServer;
}

/**
 * The servers that the environment names, and for what it does not name, those of the embedded stack.
 * Says where they are, not whether they answer.
 * @throws UserError when neither names one
 */
export function resolveServices(environment: Environment): Services {
  const addresses = readStackState(environment.stateDir)?.addresses ?? {};
  const databaseUrl = environment.databaseUrl ?? addresses.databaseUrl;
  const temporal = temporalServer(environment, addresses);
  if (databaseUrl && temporal) return { databaseUrl, temporal };
  const unnamed = [databaseUrl ? [] : ['DATABASE_URL'], temporal ? [] : ['TEMPORAL_ADDRESS']].flat();
  throw new UserError('environment', {
    message: `no stack was started in ${environment.stateDir}, and ${unnamed.join(' and ')} ${unnamed.length > 1 ? 'name' : 'names'} no server`,
    fix: 'durabench up',
  });
}

/** The Temporal server of the environment, else of the stack; `undefined` when there is neither. */
export function temporalServer(environment: Environment, addresses: StackAddresses): TemporalServer | undefined {
  if (environment.temporal) {
    const { address, namespace, connectionOptions } = environment.temporal;
    return { address, namespace: namespace ?? DEFAULT_NAMESPACE, connectionOptions, uiUrl: environment.temporalUi };
  }
  if (addresses.temporalPort === undefined) return undefined;
  const address = `127.0.0.1:${addresses.temporalPort}`;
  const uiUrl = `http://127.0.0.1:${addresses.temporalUiPort}`;
  return { address, namespace: DEFAULT_NAMESPACE, connectionOptions: { address }, uiUrl };
}

/** The page of a workflow in the Web UI; `undefined` when no UI is known. */
export function workflowUrl(server: TemporalServer, workflowId: string): string | undefined {
  const { uiUrl, namespace } = server;
  return uiUrl && `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
