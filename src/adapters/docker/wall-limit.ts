/** Beyond this a timer is not late because the loop was busy: the process was stopped, or its machine stood still. */
const STALL_MS = 2_000;

/** What a wall limit that was reached says: the time is over, or nobody can tell, since this process itself stood still. */
export type WallEnd = 'wall' | 'stall';

/** Calls once when the time is over. @returns what ends the watch before */
export function startWallLimit(seconds: number, onReached: (end: WallEnd) => void): () => void {
  // Monotonic, and it goes on while the process is stopped.
  const dueAt = performance.now() + seconds * 1000;
  const timer = setTimeout(() => onReached(performance.now() - dueAt > STALL_MS ? 'stall' : 'wall'), seconds * 1000);
  return () => clearTimeout(timer);
}
