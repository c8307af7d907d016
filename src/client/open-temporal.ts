import { setTimeout as sleep } from 'node:timers/promises';
import type { openClient } from '../adapters/temporal/open-client.js';
import type { connectTemporal } from '../stack/servers/connect.js';
import type { Services } from '../stack/services.js';
import type { Context } from './context.js';

/** A server that restarts is back within seconds; one that is unavailable longer is a problem to be told. */
const CONNECT_DEADLINE_MS = 60_000;
const QUIET_MS = 2_000;
const ATTEMPTS = 20;
const PAUSE_MS = 1_000;
/** A server that serves answers a question in milliseconds. */
const ASK_ONCE_MS = 3_000;

/** A command's connection to Temporal. */
export interface TemporalAccess {
  client: ReturnType<typeof openClient>;
  /** Asks, and asks again for a while where the server is unavailable, saying so. */
  patient: <Answer>(ask: () => Promise<Answer>) => Promise<Answer>;
  /**
   * Asks once and for seconds: undefined where no answer came. For those who watch: a connection to a server that was
   * down for a minute may stay silent for minutes more.
   */
  once: <Answer>(ask: () => Promise<Answer>, ms?: number) => Promise<Answer | undefined>;
  /** Id of the namespace: tells this server from every other. */
  server: () => Promise<string>;
  close: () => Promise<void>;
}

/**
 * Connects to Temporal, saying so while it does not answer.
 * @throws UserError after a minute
 */
export async function openTemporal(
  context: Context,
  services: Services,
  { deadlineMs = CONNECT_DEADLINE_MS }: { deadlineMs?: number } = {},
): Promise<TemporalAccess> {
  const [stack, { namespaceId }, { openClient }] = await Promise.all([
    import('../stack/servers/connect.js'),
    import('../stack/servers/namespace.js'),
    import('../adapters/temporal/open-client.js'),
  ]);
  const say = (message: string): void => context.notify({ type: 'waiting', message });
  const connection = await connectWithRetry(services, say, (server, options) =>
    stack.connectTemporal(server, { ...options, deadlineMs }),
  );
  const { namespace } = services.temporal;
  const client = openClient(connection, namespace);
  const patient = <Answer>(ask: () => Promise<Answer>): Promise<Answer> => whileAway(ask, say);
  return {
    client,
    patient,
    once: (ask, ms = ASK_ONCE_MS) => {
      const answer = client.withDeadline(Date.now() + ms, ask).catch(() => undefined);
      // The client's own retries may outlast the deadline.
      return Promise.race([answer, sleep(ms, undefined, { ref: false })]);
    },
    server: () => patient(() => namespaceId(connection, namespace)),
    close: () => connection.close(),
  };
}

/** A busy machine may take a second to answer; that is not worth a line. */
async function connectWithRetry(
  services: Services,
  say: (message: string) => void,
  connect: typeof connectTemporal,
): Promise<Awaited<ReturnType<typeof connectTemporal>>> {
  const startedAt = Date.now();
  const late = setTimeout(
    () => say(`waiting for Temporal at ${services.temporal.address} (it does not answer)`),
    QUIET_MS,
  );
  const onWaiting = (message: string): void => (Date.now() - startedAt > 2 * QUIET_MS ? say(message) : undefined);
  try {
    return await connect(services.temporal, { onWaiting });
  } finally {
    clearTimeout(late);
  }
}

/** Whether an error says that Temporal could not be reached in time. */
export function isTemporalAway(error: unknown): boolean {
  return (error instanceof Error && 'isTransient' in error && error.isTransient === true) || isAway(error);
}

/** gRPC codes of a server that is going, coming or slow: DEADLINE_EXCEEDED, UNAVAILABLE, CANCELLED by a closing socket. */
const AWAY = new Set([1, 4, 14]);

async function whileAway<Result>(ask: () => Promise<Result>, say: (message: string) => void): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === ATTEMPTS || !isAway(error)) throw error;
      if (attempt === 1) say('waiting for Temporal (it does not answer)');
      await sleep(PAUSE_MS);
    }
  }
}

function isAway(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'number' && AWAY.has(code)) return true;
  }
  return false;
}
