/**
 * What a frame is about: `R` ready; `O` a connection was opened, with its port; `D` data; `W` so many bytes of data were
 * consumed; `E` no more data comes; `X` broken off. As `relay.py` has them.
 */
export type FrameKind = 'R' | 'O' | 'D' | 'W' | 'E' | 'X';

/** One frame between the relay in a container and its worker. */
export interface Frame {
  kind: FrameKind;
  connection: number;
  body: Buffer;
}

/** Kind, connection and length. */
const HEAD_BYTES = 9;
/** A relay sends far less; whoever sends more wants to fill the memory. */
const MOST_BODY_BYTES = 1024 * 1024;
const KINDS = new Set<string>(['R', 'O', 'D', 'W', 'E', 'X'] satisfies FrameKind[]);

/** A frame as bytes. */
export function packFrame({ kind, connection, body }: Frame): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(kind, 'latin1');
  head.writeUInt32BE(connection, 1);
  head.writeUInt32BE(body.length, 5);
  return Buffer.concat([head, body]);
}

/** Reads frames out of a stream of bytes, however it is cut. Its function throws a `RangeError` at what is none. */
export function createFrameReader(onFrame: (frame: Frame) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= HEAD_BYTES) {
      const kind = rest.toString('latin1', 0, 1);
      const length = rest.readUInt32BE(5);
      if (!KINDS.has(kind) || length > MOST_BODY_BYTES) throw new RangeError('what the relay sent is no frame');
      const end = HEAD_BYTES + length;
      if (rest.length < end) return;
      onFrame({ kind: kind as FrameKind, connection: rest.readUInt32BE(1), body: rest.subarray(HEAD_BYTES, end) });
      rest = rest.subarray(end);
    }
  };
}
