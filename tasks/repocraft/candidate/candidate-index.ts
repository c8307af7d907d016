import type { Json } from '../../../src/contract/json.js';
import type { CandidateFlag } from '../../../src/contract/candidate.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { CodeCoverage, CodeStats, PreparedCoverage } from '../results.js';

/**
 * A function, method or class of a candidate, or a `value` that a module makes of one (an instance, another name), as
 * `python/candidate/parse.py` prints it.
 */
export interface CandidateEntry {
  kind: 'function' | 'method' | 'class' | 'value';
  name: string;
  module: string;
  /** Without the module: `Session.get`. */
  qualname: string;
  /** Qualified name of the class it stands in; null at module level. */
  owner: string | null;
  /** For a value the assignment. */
  signature: string;
  /** First paragraph of the docstring in one line, at most 400 characters; empty without one. A value has that of what makes it. */
  doc: string;
  /**
   * Where there is no docstring: names that its code calls and reads, short texts in it, and who calls it; of a class its methods.
   * At most 30, each under 40 characters.
   */
  code?: string[];
  file: string;
  /** First and last line, decorators included. */
  lines: [number, number];
  /** Last names of a class's bases; for a value the one name of what it is made of. Absent where there are none. */
  bases?: string[];
  /** A method that is reached without a call. */
  property?: true;
}

/** A module and the names it binds: null where the name is made there, else the dotted path it is imported from. Keys `*path` are star imports. */
interface CandidateModule {
  file: string;
  names: Record<string, string | null>;
  /** A compiled module: what it binds cannot be read. */
  compiled?: true;
}

/** A candidate as parsed: blob content, JSON. */
export interface CandidateIndex {
  /** Folders for the import path, relative to the tree. */
  roots: string[];
  packages: string[];
  /** Python files of the library. */
  files: number;
  entries: CandidateEntry[];
  modules: Record<string, CandidateModule>;
  /** Files that could not be read, and why; the rest is graded. */
  problems: { file: string; line: number; message: string }[];
}

/** What `prepare` returns: the index by reference, and counts. */
export type Prepared = {
  /** Blob of the {@link CandidateIndex}. */
  index: string;
  /** Blob of the unit vectors of each entry, one a view (`entry-text.ts`), 32-bit floats; null where nobody will search. */
  vectors: string | null;
  roots: string[];
  packages: number;
  files: number;
  entries: number;
  /** Files that did not parse. */
  problems: number;
  /** Packages it imports that are not there (`missing-packages.ts`); absent where there are none. */
  missing?: number;
  /** What its generator says of it, in numbers; absent for generators that say nothing. */
  figures?: Record<string, number | null>;
  /** Where its plan lies in the published taxonomy; absent without a plan or a taxonomy. */
  coverage?: PreparedCoverage;
  /** Where its definitions lie there; absent without a taxonomy, and where it was not embedded. */
  codeCoverage?: CodeCoverage;
  /** Absent in candidates prepared before it was counted. */
  code?: CodeStats;
  /** What its text says against its honesty; shown beside its results (`src/suite/suite.ts`). */
  flags: CandidateFlag[];
  /** Reasons to try every passed test with a negative control; the list is evidence. */
  suspicions: number;
};

/** Dotted path of an entry: `requests.models.Response.json`. */
export const entryPath = (entry: CandidateEntry): string => `${entry.module}.${entry.qualname}`;

/** The `prepared` of a context, as {@link Prepared}. Without one the engine forgot a step. */
export function preparedOf(prepared: Json | null): Prepared {
  if (prepared === null) throw new DomainFailure('harness.bug', 'the candidate was not prepared');
  return prepared as Prepared;
}

/** About what is noted of an entry when it is compared (`Likeness`): words of its docstring, its parameters or methods. */
const NOTED_BYTES = 800;

/** Reads an index by the hash of its blob; kept, for every trial of a candidate needs it. */
export function readIndex(
  { blobs, memory }: Pick<StageContext, 'blobs' | 'memory'>,
  sha256: string,
): Promise<CandidateIndex> {
  return memory.keep(`repocraft.index/${sha256}`, async () => {
    const value = JSON.parse((await blobs.get(sha256)).toString('utf8')) as CandidateIndex;
    return { value, derivedBytes: NOTED_BYTES * value.entries.length };
  });
}
