import type { Interrupt } from '../client/context.js';
import { EXIT } from './exit-code.js';

/** The first Ctrl-C aborts the signal, a second one ends the process with 130. */
export function onInterrupt(): Interrupt {
  const first = new AbortController();
  const handle = (): void => {
    if (first.signal.aborted) process.exit(EXIT.aborted);
    first.abort();
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  const release = (): void => {
    process.off('SIGINT', handle);
    process.off('SIGTERM', handle);
  };
  return { signal: first.signal, release };
}
