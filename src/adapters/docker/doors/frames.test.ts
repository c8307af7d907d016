import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDoorConnection, type DoorConnection } from './door-connection.js';
import { createFrameReader, packFrame, type Frame, type FrameKind } from './frames.js';

const frame = fc.record({
  kind: fc.constantFrom<FrameKind>('R', 'O', 'D', 'W', 'E', 'X'),
  connection: fc.nat({ max: 0xffff_ffff }),
  body: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});

/** What is read of bytes that come in pieces of so many. */
function readIn(bytes: Buffer, size: number): Frame[] {
  const frames: Frame[] = [];
  const read = createFrameReader((each) => void frames.push({ ...each, body: Buffer.from(each.body) }));
  for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
  return frames;
}

describe('frames of a relay', () => {
  it('are read as they were sent, however their bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 20 }), fc.integer({ min: 1, max: 500 }), (frames, size) => {
        expect(readIn(Buffer.concat(frames.map(packFrame)), size)).toEqual(frames);
      }),
    );
  });

  it('that are none, or would fill the memory, are refused before they are kept', () => {
    const large = packFrame({ kind: 'D', connection: 1, body: Buffer.alloc(0) });
    large.writeUInt32BE(0xffff_ffff, 5);
    expect(() => readIn(large, 100)).toThrow('no frame');
    expect(() => readIn(Buffer.from('GET / HTTP/1.1\r\n'), 3)).toThrow('no frame');
  });
});

describe('a connection whose relay is forged', () => {
  const opened = (): DoorConnection =>
    createDoorConnection(
      () => undefined,
      () => undefined,
    );

  it('takes no more than the window holds, and no consumption of what was never sent', () => {
    const connection = opened();
    for (let sent = 0; sent < 4; sent += 1) connection.take('D', Buffer.alloc(65_536));
    expect(() => connection.take('D', Buffer.alloc(1))).toThrow('more than it may');
    const [one, other] = [Buffer.alloc(4), Buffer.alloc(3)];
    one.writeUInt32BE(1);
    expect(() => opened().take('W', one)).toThrow('more was consumed');
    expect(() => opened().take('W', other)).toThrow('more was consumed');
  });

  it('takes nothing after the end, so that no flood of ends fills the memory', () => {
    const connection = opened();
    connection.take('E', Buffer.alloc(0));
    expect(() => connection.take('E', Buffer.alloc(0))).toThrow('after the end');
    expect(() => connection.take('D', Buffer.alloc(1))).toThrow('after the end');
  });
});
