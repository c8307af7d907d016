import type { Leases } from '../../../ports/leases.js';

/** Often enough for a cache that is kept an hour, seldom enough to cost nothing. */
const AGAIN_MS = 600_000;

/** Notes in the records which content this process uses, before it does; each volume once in ten minutes. */
export function createContentNotes(
  instance: string,
  leases: Pick<Leases, 'noteContentUse'> | undefined,
): (volumes: readonly string[]) => Promise<void> {
  const notedAt = new Map<string, number>();
  return async (volumes) => {
    const now = performance.now();
    const isDue = (volume: string): boolean => now - (notedAt.get(volume) ?? -Infinity) >= AGAIN_MS;
    const due = volumes.filter(isDue);
    if (leases === undefined || due.length === 0) return;
    await leases.noteContentUse({ instance, volumes: [...new Set(due)] });
    for (const volume of due) notedAt.set(volume, now);
  };
}
