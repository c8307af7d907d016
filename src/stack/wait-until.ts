import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until the answer is neither `undefined` nor `false`, and returns it; `undefined` when the
 * deadline passes first. An exception from `ask` ends the wait.
 */
export async function waitUntil<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  options: { timeoutMs: number; intervalMs?: number },
): Promise<T | undefined> {
  const deadline = Date.now() + options.timeoutMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (Date.now() >= deadline) return undefined;
    await sleep(Math.min(options.intervalMs ?? 100, Math.max(1, deadline - Date.now())));
  }
}
