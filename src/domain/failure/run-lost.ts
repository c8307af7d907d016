import type { SandboxResult } from '../../contract/sandbox-result.js';
import { DomainFailure } from './domain-failure.js';

/** A run of which nobody can tell how it ended: `sandbox.lost`, with all that is known of it. */
export class RunLost extends DomainFailure {
  /** `exitCode` is null; the outputs may be cut anywhere. */
  readonly result: SandboxResult;

  constructor(message: string, result: SandboxResult) {
    super('sandbox.lost', message);
    this.result = result;
  }
}
