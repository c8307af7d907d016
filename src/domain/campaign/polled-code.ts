import type { PolledCode } from '../../contract/worker-limits.js';

/**
 * The code that a workflow is started on: one's own where a living worker has it, else what a living worker has, else
 * one's own, for a worker that is to come. `polled`: the newest worker first. @param own '' where one has none
 */
export function codeToStartOn(polled: readonly PolledCode[], own: string): string {
  const living = polled.filter(({ isLiving }) => isLiving);
  if (living.some(({ code }) => code === own)) return own;
  return living[0]?.code ?? (own === '' ? (polled[0]?.code ?? '') : own);
}
