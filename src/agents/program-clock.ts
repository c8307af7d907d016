/** How long a program has been at work. */
export interface ProgramClock {
  /** What the program waits for; the clock stands still until all that it waits for is there. */
  waiting<Answer>(ask: () => Promise<Answer>): Promise<Answer>;
  /** Begins to count, once it runs. */
  start(): void;
  stop(): void;
}

/** How often it is looked at; nobody's limit is so short that it matters. */
const LOOK_MS = 250;

/** Calls `onOver` once the program has worked so many seconds, those left out in which it waited for its model. */
export function startProgramClock(seconds: number, onOver: () => void): ProgramClock {
  let [waits, workedMs, isOver] = [0, 0, false];
  let lastMs: number | null = null;
  const look = (): void => {
    if (lastMs === null) return;
    const now = performance.now();
    if (waits === 0) workedMs += now - lastMs;
    lastMs = now;
    if (isOver || workedMs < seconds * 1000) return;
    isOver = true;
    onOver();
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    async waiting(ask) {
      look();
      waits += 1;
      try {
        return await ask();
      } finally {
        look();
        waits -= 1;
      }
    },
    start: () => void (lastMs ??= performance.now()),
    stop: () => clearInterval(timer),
  };
}
