import { openContext } from '../client/open-context.js';
import type { Variables } from '../config/env.js';
import type { Context, Interrupt } from '../client/context.js';
import { EXIT } from './exit-code.js';
import type { Output } from './format/output.js';
import { showEvent } from './format/show-event.js';

/** What every command is given. */
export interface Session extends Context {
  output: Output;
}

/** A session over the given variables and folder. */
export function createSession(parts: { variables: Variables | undefined; cwd: string; output: Output }): Session {
  const { variables, cwd, output } = parts;
  const context = openContext({ folder: cwd, variables, onEvent: (event) => showEvent(output, event) });
  return { ...context, output, onInterrupt };
}

/** The first Ctrl-C aborts the signal, a second one ends the process with 130. */
function onInterrupt(): Interrupt {
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
