const READY = /^durabench-ready (\d+)\n/;
const READY_MAX_BYTES = 64;

/** The first line of a run's standard output, which is ours: nothing of the command's has run before it. */
export interface ReadyLine {
  push: (chunk: Buffer) => void;
  hasCome: () => boolean;
}

/** `onReady` gets the CPU seconds the container had used before; `take` gets everything after the line. */
export function createReadyLine(onReady: (cpuSecondsBefore: number) => void, take: (chunk: Buffer) => void): ReadyLine {
  let first = Buffer.alloc(0);
  let hasCome = false;
  return {
    push(chunk) {
      if (hasCome) return take(chunk);
      first = Buffer.concat([first, chunk]);
      const line = READY.exec(first.subarray(0, READY_MAX_BYTES).toString('latin1'));
      if (line === null) return;
      hasCome = true;
      onReady(Number(line[1]) / 1e9);
      take(first.subarray(line[0].length));
    },
    hasCome: () => hasCome,
  };
}
