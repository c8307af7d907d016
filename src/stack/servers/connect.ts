import type { Connection } from '@temporalio/client';
import type * as Grpc from '@grpc/grpc-js';
import type { NativeConnection } from '@temporalio/worker';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TemporalServer } from '../services.js';
import { UserError } from '../../domain/failure/user-error.js';

// A server on this machine answers within milliseconds; one behind a VPN and TLS within a second or two.
const ATTEMPT_TIMEOUT_MS = 5_000;
const PAUSE_MS = 500;
// One knock at a server on this machine; a deadline of 0 means: just this once.
const LEAST_ATTEMPT_MS = 1_000;
// What answers sooner needs no message.
const QUIET_MS = 300;
// Often enough to see that it still tries, seldom enough for a log.
const REPEAT_MESSAGE_MS = 15_000;
// gRPC codes that waiting does not fix.
const REFUSALS: Readonly<Record<number, string>> = { 7: 'permission denied', 16: 'not authenticated' };

/** How long to try, and whom to tell. */
export interface Patience {
  /** Give up after this long; without it, never. */
  deadlineMs?: number;
  /** Told "waiting for Temporal at … (it does not answer)", first after 0.3 s and then every 15 s. */
  onWaiting?: (message: string) => void;
  /** Stops the waiting: the returned promise then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/**
 * Connects a client to Temporal, however long the server takes to answer.
 * @throws UserError when the deadline passes or the server refuses the credentials
 */
export async function connectTemporal(server: TemporalServer, patience: Patience = {}): Promise<Connection> {
  const [{ Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor }, grpc] = await Promise.all([
    import('@temporalio/client'),
    import('@grpc/grpc-js'),
  ]);
  const interceptors = [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), endingWithItsConnection(grpc)];
  const options = { ...server.connectionOptions, address: server.address, interceptors };
  const connect = (connectTimeout: number): Promise<Connection> => Connection.connect({ ...options, connectTimeout });
  return untilConnected(server.address, connect, patience);
}

/**
 * Ends calls on a closed connection as cancelled. The client's retries are timers that outlive the connection, and a call
 * on a closed one throws: in a timer nobody catches that, and the process ends with a page of stack.
 */
function endingWithItsConnection(grpc: typeof Grpc): Grpc.Interceptor {
  return (options, nextCall) => {
    try {
      return new grpc.InterceptingCall(nextCall(options));
    } catch (error) {
      const details = error instanceof Error ? error.message : String(error);
      const end = { code: grpc.status.CANCELLED, details, metadata: new grpc.Metadata() };
      const ended: ConstructorParameters<typeof Grpc.InterceptingCall>[0] = {
        start: (_, listener) => {
          listener?.onReceiveMessage?.(null);
          listener?.onReceiveStatus?.(end);
        },
        ...{ sendMessageWithContext: () => undefined, sendMessage: () => undefined, startRead: () => undefined },
        ...{
          halfClose: () => undefined,
          cancelWithStatus: () => undefined,
          getPeer: () => '',
          getAuthContext: () => null,
        },
      };
      return new grpc.InterceptingCall(ended);
    }
  };
}

/**
 * The same for a worker: `NativeConnection.connect` itself throws at once when the server is absent.
 * @throws UserError when the deadline passes or the server refuses the credentials
 */
export async function connectTemporalWorker(
  server: TemporalServer,
  patience: Patience = {},
): Promise<NativeConnection> {
  const { NativeConnection } = await import('@temporalio/worker');
  const options = { ...server.connectionOptions, address: server.address };
  return untilConnected(server.address, () => NativeConnection.connect(options), patience);
}

async function untilConnected<T extends { close: () => Promise<void> }>(
  address: string,
  connect: (timeoutMs: number) => Promise<T>,
  patience: Patience,
): Promise<T> {
  const startedAt = Date.now();
  const remainingMs = (): number => (patience.deadlineMs ?? Infinity) - (Date.now() - startedAt);
  const say = (): void => patience.onWaiting?.(`waiting for Temporal at ${address} (it does not answer)`);
  const firstWord = setTimeout(say, QUIET_MS);
  const laterText = setInterval(say, REPEAT_MESSAGE_MS);
  try {
    for (;;) {
      try {
        patience.signal?.throwIfAborted();
        const timeoutMs = Math.max(LEAST_ATTEMPT_MS, Math.min(ATTEMPT_TIMEOUT_MS, remainingMs()));
        const attempt = connect(timeoutMs);
        // Left behind by an abort, it may still succeed: then nobody wants it.
        void attempt.then((late) => (patience.signal?.aborted ? late.close() : undefined)).catch(() => undefined);
        return await orAborted(attempt, patience.signal);
      } catch (error) {
        patience.signal?.throwIfAborted();
        const refusal = refusalOf(error);
        if (refusal !== undefined) throw refused(address, refusal, error);
        if (remainingMs() <= 0) throw absent(address, Date.now() - startedAt, error);
      }
      await orAborted(sleep(Math.min(PAUSE_MS, Math.max(0, remainingMs()))), patience.signal);
    }
  } finally {
    clearTimeout(firstWord);
    clearInterval(laterText);
  }
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop));
}

/** The gRPC status may sit on the error or, for the native connection, in its text or cause. */
function refusalOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'number' && REFUSALS[code] !== undefined) return REFUSALS[code];
    if (/unauthenticated/i.test(at.message)) return REFUSALS[16];
    if (/permission ?denied/i.test(at.message)) return REFUSALS[7];
  }
  return undefined;
}

function absent(address: string, waitedMs: number, cause: unknown): UserError {
  const parts = {
    message: `Temporal at ${address} does not answer (tried for ${Math.round(waitedMs / 1000)} s).`,
    expected: 'a running Temporal server; campaigns that were started go on when it is back',
    fix: 'Start it with: durabench up. For a server of your own check TEMPORAL_ADDRESS, TLS settings and the network.',
  };
  return new UserError('environment', parts, { cause, isTransient: true });
}

function refused(address: string, refusal: string, cause: unknown): UserError {
  const parts = {
    message: `Temporal at ${address} refuses us: ${refusal}.`,
    expected: 'an API key or client certificate with the right to the namespace',
    fix: 'Check TEMPORAL_API_KEY or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, and TEMPORAL_NAMESPACE.',
  };
  return new UserError('environment', parts, { cause });
}
