import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { EvidenceRef } from '../../../src/contract/evidence.js';
import { sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { BlobLabel } from '../../../src/ports/blobs.js';
import type { ContentMount, SandboxResult } from '../../../src/ports/sandbox.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { REPOCRAFT_LIMITS } from '../suite.js';

/** What work on whole trees needs: a stage's context, or as much of one. */
export type TreeContext = Pick<StageContext, 'blobs' | 'suiteFolder' | 'sandbox' | 'signal' | 'heartbeat'> & {
  campaign: { id: string };
  owner: { id: string };
};

/** A script of `python/candidate` that reads a tree, and what its end means. */
export interface TreeReader<Told> {
  /** Part of the key its answer is kept under. */
  name: string;
  /** The script, and what it imports. */
  files: readonly string[];
  /** A second tree it is handed, as `/reference`; null where there is none to compare with. Absent: it never takes one. */
  reference?: CandidateRef | null;
  /** The image it runs in, whose packages it may ask for; left out: `base`. */
  image?: string;
  /** What it is asked beside the trees. */
  arguments?: readonly string[];
  label: BlobLabel;
  told(result: SandboxResult, candidate: CandidateRef): Told | Promise<Told>;
}

/**
 * Runs a reader on a candidate in a container; its answer is a blob, kept by the hashes of the trees and by the script's
 * own text.
 */
export async function readOnce<Told>(
  context: TreeContext,
  candidate: CandidateRef,
  reader: TreeReader<Told>,
): Promise<EvidenceRef> {
  const files = await scriptFiles(context.suiteFolder, reader.files);
  const recipe = sha256Hex(JSON.stringify(files)).slice(0, 16);
  const beside = reader.reference === undefined ? '' : `/${reader.reference?.sha256 ?? 'alone'}`;
  const { image = 'base', arguments: asked = [] } = reader;
  const within = reader.image === undefined ? '' : `/${await context.sandbox.imageDigest(image)}/${asked.join(',')}`;
  const key = `repocraft.${reader.name}@${recipe}/${candidate.sha256}${beside}${within}`;
  const known = await context.blobs.recall(key);
  if (known !== null) return known;
  const mounted = ({ sha256 }: CandidateRef, place: string): ContentMount => ({
    ...{ sha256, load: () => context.blobs.open(sha256), path: place },
  });
  const trees = [
    mounted(candidate, '/candidate'),
    reader.reference ? mounted(reader.reference, '/reference') : [],
  ].flat();
  const result = await context.sandbox.run({
    image,
    command: [
      'python3',
      '-s',
      '-E',
      '-B',
      `/work/${reader.files[0] ?? ''}`,
      ...trees.map((tree) => tree.path),
      ...asked,
    ],
    files,
    mounts: trees,
    limits: REPOCRAFT_LIMITS.parse,
    poolKey: null,
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    signal: context.signal,
    onProgress: () => context.heartbeat(),
  });
  const told = await reader.told(result, candidate);
  const ref = await context.blobs.put(JSON.stringify(told), reader.label);
  // What a busy machine or a bug of ours may have caused is tried again the next time, not kept for ever.
  if (result.exitCode === 0) await context.blobs.remember(key, ref);
  return ref;
}

/** The JSON that a program of ours printed; null where it did not end well, or printed more than was kept. */
export function printed<Answer>({ exitCode, stdout }: SandboxResult): Answer | null {
  if (exitCode !== 0 || stdout.truncated) return null;
  return JSON.parse(stdout.bytes.toString('utf8')) as Answer;
}

/** Texts of scripts of `python/candidate`, by name and in this order; those of a folder beside it as `../runner/code_prints.py`. */
export async function scriptFiles(suiteFolder: string, names: readonly string[]): Promise<Record<string, string>> {
  const folder = path.join(suiteFolder, 'python', 'candidate');
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [path.basename(name), texts[index] ?? '']));
}
