import { readEnvironment, type Environment, type Variables } from '../config/env.js';
import { packageRoot } from '../config/package-root.js';
import type { Output } from './output.js';

/** What every command is given. */
export interface Session {
  /**
   * The environment, read at the first use and kept.
   * @throws UserError listing everything that is wrong with it
   */
  environment(): Environment;
  /** The folder of this package: deploy/, examples/, tasks/, dist/. */
  packageRoot: string;
  /** Folder that relative paths on the command line start at. */
  cwd: string;
  output: Output;
}

/** A session over the given variables and folder. */
export function createSession(parts: { variables: Variables | undefined; cwd: string; output: Output }): Session {
  let environment: Environment | undefined;
  return {
    environment: () => (environment ??= readEnvironment(parts.variables, parts.cwd)),
    packageRoot: packageRoot(import.meta.url),
    cwd: parts.cwd,
    output: parts.output,
  };
}
