import { Duplex } from 'node:stream';
import type { FrameKind } from './frames.js';

/** Bytes of a connection that may be under way without having been consumed; `WINDOW` of `relay.py`. */
const WINDOW = 262_144;
const PIECE = 65_536;

/** A connection from inside a container, as the worker's end of it: a stream like a socket. */
export interface DoorConnection {
  stream: Duplex;
  /** Takes a frame about it. @throws RangeError where the other side sends more than it may, or nonsense */
  take(kind: FrameKind, body: Buffer): void;
}

type Done = (error?: Error | null) => void;

/** `send` writes a frame about it to the relay; `onClose` is called when both directions have ended. */
export function createDoorConnection(
  send: (kind: FrameKind, body?: Buffer) => void,
  onClose: () => void,
): DoorConnection {
  /** Received and not yet read by whoever serves. */
  const received: Buffer[] = [];
  let [unread, credit, isWanted, isComplete] = [0, WINDOW, false, false];
  let waiting: { rest: Buffer; done: Done } | null = null;

  const stream = new Duplex({
    allowHalfOpen: true,
    read() {
      isWanted = true;
      pass();
    },
    write(chunk: Buffer, _encoding, done) {
      waiting = { rest: chunk, done };
      flush();
    },
    final(done) {
      send('E');
      done();
    },
    destroy(error, done) {
      if (!stream.readableEnded || !stream.writableFinished) send('X');
      waiting?.done(error ?? new Error('the connection was closed'));
      waiting = null;
      onClose();
      done(error);
    },
  });
  // Whoever serves it is told by the stream's own events; without a listener an error would end the process.
  stream.on('error', () => undefined);

  /** What was received goes to the reader, and only then may as much more come. */
  function pass(): void {
    while (isWanted && received.length > 0) {
      const chunk = received.shift() ?? Buffer.alloc(0);
      if (chunk.length === 0) {
        stream.push(null);
        return;
      }
      unread -= chunk.length;
      isWanted = stream.push(chunk);
      send('W', counted(chunk.length));
    }
  }

  function flush(): void {
    while (waiting !== null && credit > 0) {
      const { rest, done } = waiting;
      const piece = rest.subarray(0, Math.min(PIECE, credit));
      credit -= piece.length;
      send('D', piece);
      waiting = piece.length === rest.length ? null : { rest: rest.subarray(piece.length), done };
      if (waiting === null) done();
    }
  }

  return {
    stream,
    take(kind, body) {
      if (kind === 'X') return void stream.destroy();
      if (kind === 'W') {
        credit += body.length === 4 ? body.readUInt32BE(0) : Infinity;
        if (credit > WINDOW) throw new RangeError('the relay says that more was consumed than was sent');
        return flush();
      }
      if (isComplete) throw new RangeError('the relay sends after the end');
      isComplete = kind === 'E';
      unread += body.length;
      if (unread > WINDOW) throw new RangeError('the relay sends more than it may');
      // An empty piece of data would read as the end.
      if (kind === 'E' || body.length > 0) received.push(kind === 'E' ? Buffer.alloc(0) : Buffer.from(body));
      pass();
    },
  };
}

function counted(bytes: number): Buffer {
  const body = Buffer.alloc(4);
  body.writeUInt32BE(bytes);
  return body;
}
