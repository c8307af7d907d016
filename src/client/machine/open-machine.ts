import { openContext, type ContextOptions } from '../open-context.js';
import { findings } from './doctor-checks.js';
import type { Finding } from './finding.js';
import { buildImages, imageStates, type ImageState } from './open-images.js';
import { sandboxChecks, type SandboxChecks } from './sandbox-checks.js';

/** The machine that campaigns run on. None of this needs a server of the project. */
export interface Machine {
  /** What it has and lacks, each with the command that fixes it. Changes nothing but the state folder, which it creates. */
  findings(): Promise<Finding[]>;
  /** The limits of the sandbox, and what a container of it finds around itself. */
  sandbox(): Promise<SandboxChecks>;
  /** Which sandbox images are there; of all recipes where none are named. @throws UserError for a name of no recipe */
  images(names?: readonly string[]): Promise<ImageState[]>;
  /** Builds those that are not there, and those below them. @throws UserError with what keeps it from that */
  buildImages(names?: readonly string[]): Promise<ImageState[]>;
}

/** Opens the machine of a project folder. */
export function openMachine(options: ContextOptions = {}): Machine {
  const context = openContext(options);
  return {
    findings: () => findings(context),
    sandbox: () => sandboxChecks(context),
    images: (names = []) => imageStates(context, names),
    buildImages: (names = []) => buildImages(context, names),
  };
}
