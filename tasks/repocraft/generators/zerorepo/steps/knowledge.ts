import { Readable } from 'node:stream';
import { deserialize, serialize } from 'node:v8';
import { DomainFailure } from '../../../../../src/domain/failure/domain-failure.js';
import { sha256Hex } from '../../../../../src/domain/text/content-hash.js';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { drawnLeaves, nearestLeaves } from '../knowledge/choose-leaves.js';
import { scanTree, type TreeTable } from '../knowledge/scan-tree.js';
import { readTreeFile, treeFile } from '../knowledge/tree-file.js';
import { indexTree, type TreeIndex } from '../knowledge/tree-index.js';
import { optionsOf } from '../settings.js';

/** What of a feature tree one round is shown. */
interface Shown {
  /** Nearest to the purpose (exploit). */
  nearest: string[][];
  /** Drawn from all of it (explore). */
  elsewhere: string[][];
}

/** What of the system's feature tree a round is shown; null where it has none. */
export async function knowledgeFor(
  context: StageContext,
  about: { purpose: string; planned: string[][]; round: number },
): Promise<Shown | null> {
  const { knowledge, shown, explore } = optionsOf(context.system);
  if (knowledge === undefined) return null;
  const index = await treeIndex(context, knowledge);
  const drawn = Math.round(shown * explore);
  const { campaign, system, scope, repeat } = context;
  // Without the id of the campaign: another one of the same file draws the same.
  const round = { ...about, seed: [campaign.spec.seed, system.id, scope, repeat].join(' ') };
  return {
    nearest: await nearestLeaves(index, context.embedder, round, shown - drawn),
    elsewhere: drawnLeaves(index, round, drawn),
  };
}

/** The index of a tree: made once for its bytes, and kept. */
async function treeIndex(context: StageContext, knowledge: unknown): Promise<TreeIndex> {
  const { embedder, blobs, memory } = context;
  const large = treeFile.safeParse(knowledge);
  const name = large.success ? large.data.sha256 : sha256Hex(JSON.stringify(knowledge));
  const key = `zerorepo.tree@${embedder.id}.1/${name}`;
  return memory.keep(key, async () => {
    const known = await blobs.recall(key);
    if (known !== null) return { value: deserialize(await blobs.get(known.sha256)) as TreeIndex };
    const index = await indexTree(await tableOf(context, knowledge), embedder, () => tick(context));
    const label = { name: 'feature-tree.v8', mediaType: 'application/octet-stream' };
    await blobs.remember(key, await blobs.put(serialize(index), label));
    return { value: index };
  });
}

function tick(context: StageContext): void {
  context.signal.throwIfAborted();
  context.heartbeat();
}

async function tableOf(context: StageContext, knowledge: unknown): Promise<TreeTable> {
  const large = treeFile.safeParse(knowledge);
  if (!large.success) {
    const table = await scanTree(Readable.from([Buffer.from(JSON.stringify(knowledge))]));
    if ('problems' in table) throw unusable('the tree of the campaign', table.problems.join('; '));
    return table;
  }
  const path = large.data.file;
  const read = await readTreeFile(path, () => tick(context)).catch((error: unknown) => {
    throw unusable(path, error instanceof Error ? error.message : String(error));
  });
  if ('problems' in read) throw unusable(path, read.problems.join('; '));
  if (read.sha256 !== large.data.sha256) throw unusable(path, 'is another one than when the campaign was planned');
  return read.table;
}

const unusable = (path: string, why: string): DomainFailure =>
  new DomainFailure('dataset.missing', {
    message: `The feature tree ${path} cannot be used: ${why}.`,
    expected: 'the file as it was when the campaign was planned, at its place on the machine of the worker',
    fix: 'Put the file back; or cancel the campaign and start one with the other tree.',
  });
