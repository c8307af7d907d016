import type { Environment } from '../config/env.js';

/** What goes on, told to whoever asked for it; nothing in this folder prints. */
export type ClientEvent =
  | { type: 'notice' | 'warning'; message: string }
  /** Only of interest to who looks for the cause of something. */
  | { type: 'detail'; message: string }
  /** Something outside does not answer; it is asked again. */
  | { type: 'waiting'; message: string }
  /** A line of a step of preparing the machine; steps run side by side. */
  | { type: 'step'; step: string; message: string }
  | { type: 'step-ended'; step: string; ok: boolean; seconds: number };

/** A request to stop, such as Ctrl-C. */
export interface Interrupt {
  /** Aborted by the first request. */
  signal: AbortSignal;
  /** From here on requests are none of ours. */
  release(): void;
}

/** Where a client works, and whom it tells. */
export interface Context {
  /**
   * The environment, read at the first use and kept.
   * @throws UserError listing everything that is wrong with it
   */
  environment(): Environment;
  /** The folder of this package: deploy/, examples/, tasks/, dist/. */
  packageRoot: string;
  /** Folder that relative paths start at. */
  cwd: string;
  notify(event: ClientEvent): void;
  /** Listens for a request to stop, for work that cleans up after itself. */
  onInterrupt(): Interrupt;
}
