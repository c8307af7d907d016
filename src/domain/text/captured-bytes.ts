/** Collects a stream up to a cap: the first and the last bytes are kept, what lies between is counted and marked. */
export interface CapturedBytes {
  push: (chunk: Buffer) => void;
  result: () => { bytes: Buffer; truncated: boolean; totalBytes: number };
}

/** `cap` in bytes; half is for the head, half for the tail. Memory stays below twice the cap whatever is written. */
export function createCapturedBytes(cap: number): CapturedBytes {
  const headCap = Math.ceil(cap / 2);
  const tailCap = Math.floor(cap / 2);
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let totalBytes = 0;

  function push(chunk: Buffer): void {
    totalBytes += chunk.length;
    const toHead = chunk.subarray(0, Math.max(0, headCap - headBytes));
    if (toHead.length > 0) {
      head.push(Buffer.from(toHead));
      headBytes += toHead.length;
    }
    const rest = chunk.subarray(toHead.length);
    if (rest.length === 0) return;
    tail.push(Buffer.from(rest));
    tailBytes += rest.length;
    if (tailBytes > 2 * tailCap) trim();
  }

  function trim(): void {
    const all = Buffer.concat(tail);
    const kept = Buffer.from(all.subarray(Math.max(0, all.length - tailCap)));
    tail = [kept];
    tailBytes = kept.length;
  }

  function result(): { bytes: Buffer; truncated: boolean; totalBytes: number } {
    trim();
    const cut = totalBytes - headBytes - tailBytes;
    const mark = cut > 0 ? [Buffer.from(`\n[... ${cut} bytes cut ...]\n`)] : [];
    return { bytes: Buffer.concat([...head, ...mark, ...tail]), truncated: cut > 0, totalBytes };
  }

  return { push, result };
}
