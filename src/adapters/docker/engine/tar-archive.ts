import tar from 'tar-stream';
import { FIXED_FILE_TIME } from '../../../domain/fixed-file-time.js';

/** An uncompressed tar of files, byte for byte the same for the same files: sorted, one fixed time, no owners. */
export async function packTar(files: Record<string, Uint8Array | string>): Promise<Buffer> {
  const pack = tar.pack();
  for (const name of Object.keys(files).sort()) {
    const bytes = files[name] ?? '';
    pack.entry({ name, mode: 0o644, mtime: FIXED_FILE_TIME, uid: 0, gid: 0 }, Buffer.from(bytes as Uint8Array));
  }
  pack.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of pack) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
