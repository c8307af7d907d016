/** What the line with the token says. */
interface ServedEnd {
  status: number;
  goesOn: boolean;
}

/** One of the two outputs of a fork server during one run. */
export interface UntilToken {
  push: (chunk: Buffer) => void;
  /** Resolves once the line with the token has come. */
  come: Promise<void>;
  end: () => ServedEnd | null;
  /** Hands on what was held back. */
  flush: () => void;
}

/** Hands on what comes before the line with the token; as much as may be part of the line is held back. */
export function createUntilToken(token: string, take: (chunk: Buffer) => void): UntilToken {
  const line = new RegExp(`${token} (\\d{1,3}) (more|last)\\n$`);
  const lineBytes = token.length + ' 255 more\n'.length;
  let held = Buffer.alloc(0);
  let end: ServedEnd | null = null;
  let resolve: () => void = () => undefined;
  const come = new Promise<void>((settle) => (resolve = settle));

  function push(chunk: Buffer): void {
    held = Buffer.concat([held, chunk]);
    const found = line.exec(held.subarray(-lineBytes).toString('latin1'));
    if (found === null) return release(Math.max(0, held.length - lineBytes + 1));
    release(held.length - found[0].length);
    held = Buffer.alloc(0);
    end = { status: Number(found[1]), goesOn: found[2] === 'more' };
    resolve();
  }

  function release(bytes: number): void {
    if (bytes > 0) take(held.subarray(0, bytes));
    held = held.subarray(bytes);
  }

  return { push, come, end: () => end, flush: () => release(held.length) };
}
