// By the module's name: a Node without `crc32` is to hear that it is too old.
import * as zlib from 'node:zlib';
import type { Problem } from '../contract/problem.js';
import { UNREADABLE, type ArchiveEntry } from './tar-entries.js';

/** One line of a zip's central directory. */
interface Listed {
  name: string;
  method: number;
  isEncrypted: boolean;
  isLink: boolean;
  crc: number;
  packedBytes: number;
  bytes: number;
  offset: number;
}

const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_LOCATOR = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
/** "See the zip64 field". */
const ELSEWHERE = 0xffffffff;

/**
 * Every file and link of a zip, or why its size is refused. Sizes are summed before anything is unpacked, so a bomb is
 * refused by its own listing; and each entry must then be what the listing says, in size and checksum, so that no lie
 * about sizes cuts a file.
 * @param sizeProblem what is wrong with so many files and unpacked bytes, if anything
 * @param isWanted leaves out entries by their names: they are neither counted nor unpacked
 * @throws Error for what is no zip, or one that contradicts itself
 */
export function readZipEntries(
  bytes: Uint8Array,
  sizeProblem: (count: { files: number; bytes: number }) => Problem | undefined,
  isWanted: (name: string) => boolean = () => true,
): ArchiveEntry[] | Problem {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const listed = listing(zip).filter(({ name }) => !name.endsWith('/') && isWanted(name));
  const total = listed.reduce((sum, entry) => sum + entry.bytes, 0);
  const problem = sizeProblem({ files: listed.length, bytes: total });
  if (problem !== undefined) return problem;
  return listed.map((entry) => {
    const content = contentOf(zip, entry);
    return entry.isLink
      ? { name: entry.name, content: new Uint8Array(), link: { to: content.toString('utf8'), isHard: false } }
      : { name: entry.name, content, link: null };
  });
}

function listing(zip: Buffer): Listed[] {
  let { count, offset } = directory(zip);
  const listed: Listed[] = [];
  for (; count > 0; count -= 1) {
    if (zip.readUInt32LE(offset) !== CENTRAL) throw new Error('its listing is damaged');
    const nameEnd = offset + 46 + zip.readUInt16LE(offset + 28);
    const extraEnd = nameEnd + zip.readUInt16LE(offset + 30);
    const flags = zip.readUInt16LE(offset + 8);
    const isUnix = zip.readUInt8(offset + 5) === 3;
    const next = wideNumbers(zip.subarray(nameEnd, extraEnd));
    const wide = (value: number): number => (value === ELSEWHERE ? next() : value);
    // In this order: so they stand in the zip64 field.
    const size = wide(zip.readUInt32LE(offset + 24));
    const packedBytes = wide(zip.readUInt32LE(offset + 20));
    listed.push({
      name: zip.toString(flags & 0x800 ? 'utf8' : 'latin1', offset + 46, nameEnd),
      method: zip.readUInt16LE(offset + 10),
      isEncrypted: (flags & 1) !== 0,
      isLink: isUnix && zip.readUInt32LE(offset + 38) >>> 28 === 0xa,
      crc: zip.readUInt32LE(offset + 16),
      ...{ packedBytes, bytes: size, offset: wide(zip.readUInt32LE(offset + 42)) },
    });
    offset = extraEnd + zip.readUInt16LE(offset + 32);
  }
  return listed;
}

/** Where the listing begins and how long it is: the record that begins the last 22 bytes and a comment. */
function directory(zip: Buffer): { count: number; offset: number } {
  let end = zip.length - 22;
  while (end >= 0 && zip.readUInt32LE(end) !== END) end -= 1;
  if (end < 0) throw new Error('its listing is missing');
  const isWide = end >= 20 && zip.readUInt32LE(end - 20) === END_64_LOCATOR;
  if (!isWide) return { count: zip.readUInt16LE(end + 10), offset: zip.readUInt32LE(end + 16) };
  const wide = Number(zip.readBigUInt64LE(end - 12));
  if (zip.readUInt32LE(wide) !== END_64) throw new Error('its listing is damaged');
  return { count: Number(zip.readBigUInt64LE(wide + 32)), offset: Number(zip.readBigUInt64LE(wide + 48)) };
}

/** Reads one after the other the 64-bit numbers of a zip64 field. */
function wideNumbers(extra: Buffer): () => number {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== 1) at += 4 + extra.readUInt16LE(at + 2);
  at += 4;
  return () => Number(extra.readBigUInt64LE((at += 8) - 8));
}

function contentOf(zip: Buffer, entry: Listed): Buffer {
  const { name, offset, bytes } = entry;
  if (name.includes(UNREADABLE)) throw new Error(`${name} is not named in UTF-8`);
  if (entry.isEncrypted) throw new Error(`${name} is encrypted`);
  if (zip.readUInt32LE(offset) !== LOCAL) throw new Error(`${name} is not where its listing says`);
  const start = offset + 30 + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
  const packed = zip.subarray(start, start + entry.packedBytes);
  const content = entry.method === 0 ? packed : entry.method === 8 ? inflated(packed, entry) : undefined;
  if (content === undefined) throw new Error(`${name} is compressed by a method other than deflate`);
  if (content.length === bytes && zlib.crc32(content) === entry.crc) return content;
  throw new Error(`${name} is not what its listing says: the size or the checksum differs`);
}

function inflated(packed: Buffer, { name, bytes }: Listed): Buffer {
  try {
    return zlib.inflateRawSync(packed, { maxOutputLength: bytes + 1 });
  } catch (error) {
    const why = error instanceof RangeError ? 'it is larger' : error instanceof Error ? error.message : String(error);
    throw new Error(`${name} is not what its listing says: ${why}`, { cause: error });
  }
}
