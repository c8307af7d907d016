import { readEnvironment, type Environment, type Variables } from '../config/env.js';
import { packageRoot } from '../config/package-root.js';
import type { ClientEvent, Context } from './context.js';

/** Where a client works, and whom it tells. */
export interface ContextOptions {
  /** The project: relative paths start here, and `.durabench/` lies here unless DURABENCH_HOME says otherwise. Default: the working folder. */
  folder?: string;
  /** Variables as the command line reads them (DATABASE_URL, TEMPORAL_ADDRESS, keys of models). Default: the process's. */
  variables?: Variables | undefined;
  /** Told what goes on meanwhile, as a command would print it beside its result. */
  onEvent?: (event: ClientEvent) => void;
}

/** A context over these; the environment is read when something first asks for it. Signals of the process are left to its owner. */
export function openContext({ folder = process.cwd(), variables, onEvent }: ContextOptions): Context {
  let environment: Environment | undefined;
  return {
    environment: () => (environment ??= readEnvironment(variables, folder)),
    packageRoot: packageRoot(import.meta.url),
    cwd: folder,
    notify: (event) => onEvent?.(event),
    onInterrupt: () => ({ signal: new AbortController().signal, release: () => undefined }),
  };
}
