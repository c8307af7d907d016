import { openContext } from '../client/open-context.js';
import type { Variables } from '../config/env.js';
import type { Context } from '../client/context.js';
import { onInterrupt } from './interrupt.js';
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
