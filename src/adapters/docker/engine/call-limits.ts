import type Docker from 'dockerode';

/** How long an engine may say nothing. An engine that is stopped, or hangs, still accepts connections. */
export interface CallLimits {
  /** For an answer, before it is asked whether it answers at all (a ping), and for the ping's. */
  callMs: number;
  /** For an answer of an engine that answers pings: it is busy, or hangs in this one call. */
  busyMs: number;
  /** For figures of a container, which nobody waits for long: a run is to be ended meanwhile. */
  statsMs: number;
}

/**
 * An engine takes milliseconds, on a machine with a load of 30 seconds; beside disk hogs and others' containers the start of one
 * has taken more than half a minute (`bench/load/under-load.ts`, load 79). Who fails such calls loses containers that are alive.
 */
const DEFAULT_LIMITS: CallLimits = { callMs: 30_000, busyMs: 600_000, statsMs: 2_000 };

/** They end with what they wait for or carry: a command, an upload, an image. */
const LONG_CALLS = /^\/(containers\/[^/]+\/(wait|archive)|commit|images\/(create|load|.+\/get))\b/;
const PING = '/_ping';
const STATS_CALL = /^\/containers\/[^/]+\/stats\b/;

/** What is used of the connection below dockerode, which has no types for it. */
interface Modem {
  dial(call: Call, callback: Callback): void;
}
interface Call {
  path: string;
  method: string;
  statusCodes: Record<number, boolean | string>;
  abortSignal?: AbortSignal;
}
type Callback = (error: Error | null, result: unknown) => void;

/** Ends every call of a client that gets no answer in time with ETIMEDOUT: at once when no ping is answered either. A stream is an answer; how long it lasts is up to its reader. */
export function limitCalls(docker: Docker, limits: CallLimits = DEFAULT_LIMITS): void {
  const modem = docker.modem as Modem;
  const dial = modem.dial.bind(modem);

  modem.dial = (call, callback) => {
    const aborter = new AbortController();
    const limitMs = STATS_CALL.test(call.path) ? limits.statsMs : limits.callMs;
    const end: Callback = (error, result) => {
      stopWatch();
      callback(error, result);
      // What comes after the end is nobody's.
      callback = () => undefined;
    };
    const giveUp = (afterMs: number): void => {
      end(silence(call, afterMs), null);
      aborter.abort();
    };
    const stopWatch = watch(call.path, limitMs, giveUp);
    const signals = call.abortSignal === undefined ? [] : [call.abortSignal];
    dial({ ...call, abortSignal: AbortSignal.any([aborter.signal, ...signals]) }, end);
  };

  function watch(path: string, limitMs: number, giveUp: (afterMs: number) => void): () => void {
    if (path === PING || STATS_CALL.test(path)) return after(limitMs, () => giveUp(limitMs));
    const ping = { path: PING, method: 'GET', statusCodes: { 200: true, 500: 'server error' } };
    const stopLooking = every(limitMs, () => modem.dial(ping, (error) => void (isSilence(error) && giveUp(limitMs))));
    const stopWaiting = LONG_CALLS.test(path) ? () => undefined : after(limits.busyMs, () => giveUp(limits.busyMs));
    return () => {
      stopLooking();
      stopWaiting();
    };
  }
}

/** Whether a call failed since nobody answered. */
export function isSilence(error: unknown): boolean {
  return (error as { code?: string } | null)?.code === 'ETIMEDOUT';
}

function silence({ method, path }: Call, limitMs: number): Error {
  const what = `${method} ${path.replace(/\?.*/, '').slice(0, 60)}`;
  return Object.assign(new Error(`no answer to ${what} within ${limitMs / 1000} s`), { code: 'ETIMEDOUT' });
}

function every(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms);
  return () => clearInterval(timer);
}

function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}
