import type { Leases } from '../../../ports/leases.js';
import type { ContentMount } from '../../../ports/sandbox.js';
import { contentVolume } from './content-volumes.js';

/** Often enough for a cache that is kept an hour, seldom enough to cost nothing. */
const AGAIN_MS = 600_000;

/** Notes in the records which content this process uses, before it does; each volume once in ten minutes. */
export function createContentNotes(
  instance: string,
  leases: Pick<Leases, 'noteContentUse'> | undefined,
): (mounts: readonly ContentMount[]) => Promise<void> {
  const notedAt = new Map<string, number>();
  return async (mounts) => {
    const now = performance.now();
    const isDue = (volume: string): boolean => now - (notedAt.get(volume) ?? -Infinity) >= AGAIN_MS;
    const due = mounts.map(contentVolume).filter(isDue);
    if (leases === undefined || due.length === 0) return;
    await leases.noteContentUse({ instance, volumes: [...new Set(due)] });
    for (const volume of due) notedAt.set(volume, now);
  };
}
