import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { OfflineTools } from '../../../src/suite/calibration.js';
import { readProjectSettings } from '../dataset/project-settings.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import { deriveLibrary } from '../generators/derived/derive-library.js';
import type { DeriveSettings } from '../generators/derived/derive-settings.js';
import type { DerivedNames } from '../generators/derived/truth.js';
import { unpackFiles } from '../../../src/suite-kit/packed-files.js';
import { createBinder, type Binder } from '../adaptation/bind.js';
import { readIndex, type CandidateEntry, type CandidateIndex } from '../candidate/candidate-index.js';
import { parseCandidate } from '../candidate/parse-candidate.js';
import { embedEntries, vectorTable } from '../search/vectors.js';
import { referenceIndex } from '../candidate/reference-candidate.js';
import type { TreeContext } from '../candidate/tree-reader.js';

/** A derived library as search, vote and adaptation see it. */
export interface OfflineCandidate {
  project: string;
  settings: DeriveSettings;
  names: DerivedNames;
  index: CandidateIndex;
  /** Packages of the reference. */
  packages: string[];
  /** Binds its tests to this one. */
  bind: Binder;
  /** Vectors of its entries, as `prepare` leaves them. */
  table: Float32Array;
  /** The lines of an entry's file. */
  source(entry: CandidateEntry): string;
}

/** Work of this process, not of a campaign. */
export type OfflineContext = TreeContext & OfflineTools;

/** Derives, parses and embeds it; each is kept by what it was made of. */
export async function gradeCandidateOffline(
  context: OfflineContext,
  asked: { project: string; settings: DeriveSettings; tasks: readonly RepocraftTask[] },
): Promise<OfflineCandidate> {
  const { project, settings } = asked;
  const { blobs } = context;
  const library = await deriveLibrary(context, await readProjectSettings(project, context.suiteFolder), asked);
  const candidate: CandidateRef = { ...library.candidate, provenance: 'generated' };
  const parsed = await parseCandidate(context, candidate);
  const index = await readIndex(context, parsed.sha256);
  const attach = blobs.put.bind(blobs);
  const vectors = await embedEntries({ ...context, attach }, parsed.sha256, index);
  const files = await unpackFiles(blobs, candidate.sha256);
  const reference = await referenceIndex(context, project);
  return {
    ...{ project, settings, names: library.names, index, table: vectorTable(await blobs.get(vectors)) },
    ...{ packages: reference.packages, bind: createBinder({ reference, candidate: index }) },
    source: ({ file }) => Buffer.from(files.get(file) ?? []).toString('utf8'),
  };
}
