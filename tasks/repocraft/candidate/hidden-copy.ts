import type { SandboxResult } from '../../../src/ports/sandbox.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { ExecutionReport } from '../execution/execution-report.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import { referenceCandidate } from './reference-candidate.js';
import { printed, readOnce, type TreeContext } from './tree-reader.js';

/** As many as the integrity scan asks for: nobody packs by heart what the reference says word for word. */
const COPIED_FUNCTIONS = 5;

/** As `python/runner/code_seen.py` says it. */
const UNWATCHED = 'unwatched';
const HOW_UNWATCHED =
  'what ran cannot be known: the candidate listed all objects or frames of the process, called the interpreter from C, started a second one, or made 20,000 functions';

interface Prints {
  prints: string[];
}

/**
 * The report of a run, failed where code ran that came from no file the integrity scan reads, and is that of the reference: a
 * copy which was packed, encoded or written at run time. Others' reports stay as they are.
 */
export async function withoutHiddenCopy(
  context: TreeContext,
  project: string,
  report: ExecutionReport,
): Promise<ExecutionReport> {
  const ran = report.report?.code ?? [];
  if (!report.passed) return report;
  if (ran.includes(UNWATCHED))
    return { ...report, passed: false, reason: 'candidate.unwatched', message: HOW_UNWATCHED };
  if (ran.length < COPIED_FUNCTIONS) return report;
  const reference = new Set(await referencePrints(context, project));
  const copied = ran.filter((print) => reference.has(print)).length;
  if (copied < COPIED_FUNCTIONS) return report;
  const message = `${copied} functions that ran are those of the reference, and lie in no file that can be read`;
  return { ...report, passed: false, reason: 'candidate.hidden-copy', message };
}

async function referencePrints(context: TreeContext, project: string): Promise<string[]> {
  const label = { name: 'prints.json', mediaType: 'application/json' };
  const reader = { name: 'prints', files: ['compiled_prints.py', '../runner/code_prints.py'], label, told };
  const { sha256 } = await readOnce(context, await referenceCandidate(context, project), reader);
  return (await readJsonBlob<Prints>(context.blobs, sha256)).prints;
}

function told(result: SandboxResult): Prints {
  const prints = printed<Prints>(result);
  if (prints !== null) return prints;
  throw new DomainFailure('sandbox.lost', 'the reference could not be compiled in time');
}
