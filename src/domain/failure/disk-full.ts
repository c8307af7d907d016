import { DomainFailure } from './domain-failure.js';

/** A disk that campaigns write to has no room: they wait until somebody makes some. */
export function diskFull(problem: { message: string; expected: string }, options?: ErrorOptions): DomainFailure {
  const fix = 'free disk space ("durabench clean", "docker system df"); campaigns then continue by themselves';
  return new DomainFailure('sandbox.disk-full', { ...problem, fix }, options);
}
