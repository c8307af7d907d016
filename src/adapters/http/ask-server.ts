import { DomainFailure } from '../../domain/failure/domain-failure.js';
import { isDiskFull } from '../../domain/failure/system-words.js';

/** A server is asked again so often where nothing comes of it. */
const ATTEMPTS = 5;
/** A connection that brings nothing for so long is given up. */
const SILENCE_MS = 60_000;
/** A server may ask for so long a pause; where it asks for more the command ends, and is given again. */
const LONGEST_PAUSE_MS = 900_000;

/** Waits so many milliseconds, or until the signal. */
export type Wait = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** An answer that asking again may change. */
class Unanswered extends Error {
  constructor(
    message: string,
    /** How long the server asks to be left alone; null where it does not say. */
    readonly pauseMs: number | null,
  ) {
    super(message);
  }
}

/**
 * Asks a server once. `use` gets the answer and a function that says that something came.
 * @throws Unanswered where it is overloaded or limits how often it is asked, and whatever `use` and the connection throw
 */
export async function askServer<Result>(
  url: string,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal | undefined },
  use: (response: Response, alive: () => void) => Promise<Result>,
): Promise<Result> {
  const silence = new AbortController();
  const begin = (): NodeJS.Timeout => setTimeout(() => silence.abort(new Error('the server says nothing')), SILENCE_MS);
  let timer = begin();
  try {
    const response = await fetch(url, {
      headers: { 'accept-encoding': 'identity', ...headers },
      signal: AbortSignal.any([silence.signal, ...(signal ? [signal] : [])]),
    });
    const { status } = response;
    // GitHub refuses with 403 what is over its limit.
    const isLimit = status === 429 || (status === 403 && response.headers.get('x-ratelimit-remaining') === '0');
    if (isLimit || status >= 500) {
      await response.body?.cancel();
      throw new Unanswered(`the server answers ${status}`, pauseOf(response.headers, isLimit));
    }
    return await use(response, () => {
      clearTimeout(timer);
      timer = begin();
    });
  } finally {
    clearTimeout(timer);
  }
}

/** `Retry-After` in seconds or as a date; of a limit also the moment (Unix seconds) at which it ends. */
function pauseOf(headers: Headers, isLimit: boolean): number | null {
  const text = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const reset = headers.get('x-ratelimit-reset') ?? '';
  const until = isLimit && text === '' && /^\d{10}$/.test(reset) ? Number(reset) * 1000 : Date.parse(text);
  return Number.isFinite(until) ? Math.max(0, until - Date.now()) : null;
}

/**
 * Does `once` until it succeeds, or has failed five times in a row without `progress` (bytes that are there) having grown.
 * @throws DomainFailure as `once` threw it, `dataset.missing` for all else; the error of a full disk; the signal's reason
 */
export async function insist<Result>(
  url: string,
  {
    signal,
    wait,
    pauseMs,
    progress,
  }: { signal: AbortSignal | undefined; wait: Wait; pauseMs: number; progress: () => Promise<number> },
  once: () => Promise<Result>,
): Promise<Result> {
  let most = 0;
  for (let failures = 1; ; failures += 1) {
    signal?.throwIfAborted();
    try {
      return await once();
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof DomainFailure || isDiskFull(error)) throw error;
      const there = await progress();
      if (there > most) failures = 1;
      most = Math.max(most, there);
      const asked = error instanceof Unanswered ? error.pauseMs : null;
      if ((asked ?? 0) > LONGEST_PAUSE_MS) throw pauseTooLong(url, asked ?? 0, error);
      if (failures === ATTEMPTS) throw unreachable(url, error);
      // A pause of 0, or one that has passed by this machine's clock, is none.
      await wait(Math.max(asked ?? 0, pauseMs * failures), signal);
    }
  }
}

function pauseTooLong(url: string, pauseMs: number, cause: unknown): DomainFailure {
  const pause = `${Math.ceil(pauseMs / 60_000)} minutes`;
  const message = `${url} cannot be downloaded now: the server asks for a pause of ${pause}`;
  return new DomainFailure(
    'dataset.missing',
    { message, expected: 'a server that serves it', fix: `run the command again in ${pause}: it goes on where it was` },
    { cause },
  );
}

function unreachable(url: string, error: unknown): DomainFailure {
  const { message, cause } = error as Error & { cause?: Error };
  return missing(url, cause?.message ?? message, error);
}

/** That something cannot be had now. */
export function missing(url: string, why: string, cause?: unknown): DomainFailure {
  return new DomainFailure(
    'dataset.missing',
    {
      message: `${url} cannot be downloaded: ${why}`,
      expected: 'a server that serves it',
      fix: 'check the connection, then run the command again: it goes on where it was',
    },
    { cause },
  );
}
