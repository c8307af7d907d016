import type Docker from 'dockerode';

/** How long an engine may say nothing. An engine that is stopped, or hangs, still accepts connections. */
export interface CallLimits {
  /** For an answer; for calls that take as long as their work, until a ping is answered. */
  callMs: number;
  /** For figures of a container, which nobody waits for long: a run is to be ended meanwhile. */
  statsMs: number;
}

/** Hundreds of times what an engine takes: on a machine with a load of 30 an answer takes seconds. */
const DEFAULT_LIMITS: CallLimits = { callMs: 30_000, statsMs: 2_000 };

/** They end with what they wait for or carry: a command, an upload, an image. */
const LONG_CALLS = /^\/(containers\/[^/]+\/(wait|archive)|commit|images\/(create|load|.+\/get))\b/;
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

/** Ends every call of a client that gets no answer in time with ETIMEDOUT. A stream is an answer; how long it lasts is up to its reader. */
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
    const giveUp = (): void => {
      end(silence(call, limitMs), null);
      aborter.abort();
    };
    const stopWatch = LONG_CALLS.test(call.path) ? watchEngine(limitMs, giveUp) : after(limitMs, giveUp);
    const signals = call.abortSignal === undefined ? [] : [call.abortSignal];
    dial({ ...call, abortSignal: AbortSignal.any([aborter.signal, ...signals]) }, end);
  };

  function watchEngine(everyMs: number, giveUp: () => void): () => void {
    const ping = { path: '/_ping', method: 'GET', statusCodes: { 200: true, 500: 'server error' } };
    const look = (): void => modem.dial(ping, (error) => void (isSilence(error) && giveUp()));
    const timer = setInterval(look, everyMs);
    return () => clearInterval(timer);
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

function after(ms: number, act: () => void): () => void {
  const timer = setTimeout(act, ms);
  return () => clearTimeout(timer);
}
