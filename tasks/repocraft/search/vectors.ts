import type { StageContext } from '../../../src/suite/stage.js';
import type { CandidateIndex } from '../candidate/candidate-index.js';
import { ENTRY_VIEWS_VERSION, entryViews } from './entry-text.js';

/** Texts embedded between two heartbeats: about a second of work. */
const EMBED_SLICE = 256;

type EmbedContext = Pick<StageContext, 'blobs' | 'embedder' | 'attach' | 'signal' | 'heartbeat'>;

/** Blob of the vectors of a candidate's entries, all views of one behind the other; kept by the index's hash. */
export async function embedEntries(context: EmbedContext, indexSha256: string, index: CandidateIndex): Promise<string> {
  const key = `repocraft.vectors@${context.embedder.id}.${ENTRY_VIEWS_VERSION}/${indexSha256}`;
  const label = { name: 'candidate-vectors.f32', mediaType: 'application/octet-stream' };
  const known = await context.blobs.recall(key);
  if (known !== null) return (await context.attach(await context.blobs.get(known.sha256), label)).sha256;
  const texts = index.entries.flatMap(entryViews);
  const parts: Uint8Array[] = [];
  for (let start = 0; start < texts.length; start += EMBED_SLICE) {
    context.signal.throwIfAborted();
    const vectors = await context.embedder.embed(texts.slice(start, start + EMBED_SLICE));
    parts.push(...vectors.map((vector) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)));
    context.heartbeat();
  }
  const ref = await context.attach(Buffer.concat(parts), label);
  await context.blobs.remember(key, ref);
  return ref.sha256;
}

/** The vectors as {@link embedEntries} stored them. A copy: typed arrays need aligned memory of their own. */
export const vectorTable = (bytes: Buffer): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);
