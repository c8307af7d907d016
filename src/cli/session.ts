import { readEnvironment, type Environment, type Variables } from '../config/env.js';
import { packageRoot } from '../config/package-root.js';
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
  let environment: Environment | undefined;
  return {
    environment: () => (environment ??= readEnvironment(variables, cwd)),
    packageRoot: packageRoot(import.meta.url),
    cwd,
    output,
    notify: (event) => showEvent(output, event),
    onInterrupt,
  };
}
