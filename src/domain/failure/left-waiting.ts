import { DomainFailure } from './domain-failure.js';

/**
 * What somebody is told who left before its turn, which its signal made it do: an attempt whose time was over did nothing
 * wrong and is tried again (`sandbox.unavailable`); a cancellation stays one. `missed`: what it waited for in vain.
 */
export function whyLeft({ reason }: AbortSignal, missed: string): Error {
  return reason instanceof DomainFailure ? new DomainFailure('sandbox.unavailable', missed) : (reason as Error);
}
