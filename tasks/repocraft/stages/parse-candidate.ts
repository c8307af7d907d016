import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { EvidenceRef } from '../../../src/contract/evidence.js';
import { sha256Hex } from '../../../src/domain/content-hash.js';
import { DomainFailure } from '../../../src/domain/domain-failure.js';
import type { SandboxResult } from '../../../src/ports/sandbox.js';
import type { BlobLabel } from '../../../src/ports/blobs.js';
import type { StageContext } from '../../../src/ports/suite.js';
import { REPOCRAFT_LIMITS } from '../suite.js';
import type { CandidateIndex } from './candidate-index.js';

const PARSER_FILES = ['parse.py', 'layout.py'];

/**
 * Parses a candidate in a container (its text is hostile, and Python's own `ast` reads it) and returns the index blob.
 * Cached by snapshot hash and by the parser's own text.
 */
export function parseCandidate(context: StageContext, candidate: CandidateRef): Promise<EvidenceRef> {
  const label = { name: 'candidate-index.json', mediaType: 'application/json' };
  return readOnce(context, candidate, { name: 'parse', files: PARSER_FILES, label, told: indexOf });
}

/** A script of `python/candidate` that reads a tree, and what its end means. */
export interface TreeReader<Told> {
  /** Part of the key its answer is kept under. */
  name: string;
  /** The script, and what it imports. */
  files: readonly string[];
  label: BlobLabel;
  told(result: SandboxResult, candidate: CandidateRef): Told;
}

/** Runs a reader on a candidate in a container; its answer is a blob, kept by snapshot hash and by the script's own text. */
export async function readOnce<Told>(
  context: StageContext,
  candidate: CandidateRef,
  reader: TreeReader<Told>,
): Promise<EvidenceRef> {
  const files = await scriptFiles(context.suiteFolder, reader.files);
  const recipe = sha256Hex(JSON.stringify(files)).slice(0, 16);
  const key = `repocraft.${reader.name}@${recipe}/${candidate.sha256}`;
  const known = await context.blobs.recall(key);
  if (known !== null) return known;
  const result = await context.sandbox.run({
    image: 'base',
    command: ['python3', '-s', '-E', '-B', `/work/${reader.files[0] ?? ''}`, '/candidate'],
    files,
    mounts: [{ sha256: candidate.sha256, load: () => context.blobs.get(candidate.sha256), path: '/candidate' }],
    limits: REPOCRAFT_LIMITS.parse,
    poolKey: null,
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    signal: context.signal,
    onProgress: () => context.heartbeat(),
  });
  const ref = await context.blobs.put(JSON.stringify(reader.told(result, candidate)), reader.label);
  // What a busy machine or a bug of ours may have caused is tried again the next time, not kept for ever.
  if (result.exitCode === 0) await context.blobs.remember(key, ref);
  return ref;
}

async function scriptFiles(suiteFolder: string, names: readonly string[]): Promise<Record<string, string>> {
  const folder = path.join(suiteFolder, 'python', 'candidate');
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
}

/**
 * A generated tree that kills the parser is a candidate nothing can be found in, not an error of ours. The true library
 * parses, so where it does not the fault is ours; and a wall limit without the CPU used says only that the machine was
 * busy: tried again.
 */
function indexOf(result: SandboxResult, candidate: CandidateRef): CandidateIndex {
  if (result.exitCode === 0 && !result.stdout.truncated) {
    return JSON.parse(result.stdout.bytes.toString('utf8')) as CandidateIndex;
  }
  const how = result.timedOut ? 'ran out of time' : result.outOfMemory ? 'ran out of memory' : 'failed';
  const tail = result.stderr.bytes.toString('utf8').trim().slice(-200);
  const message = `the parser ${how} on this candidate ${tail}`.trim();
  if (result.timeLimit === 'wall') throw new DomainFailure('sandbox.lost', message);
  if (candidate.provenance === 'reference') throw new DomainFailure('harness.bug', message);
  return { roots: [], packages: [], files: 0, entries: [], modules: {}, problems: [{ file: '.', line: 0, message }] };
}
