import type { CandidateRef } from '../../../src/contract/candidate.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { SandboxResult } from '../../../src/ports/sandbox.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { CodeStats } from '../results.js';
import { createCodeTokenCounter } from './code-tokens.js';
import { printed, readOnce } from './tree-reader.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';

/** What `code_stats.py` prints. */
interface Counted extends Omit<CodeStats, 'tokens'> {
  code: string[];
}

const SCRIPT = ['code_stats.py', 'layout.py', 'placeholders.py'];
/** Raised when counting changes; part of the key of what is kept. */
const VERSION = 1;

/** Counts a candidate's code; once for each snapshot. A tree that cannot be counted counts as empty. */
export async function codeStats(context: StageContext, candidate: CandidateRef): Promise<CodeStats> {
  const label = { name: 'candidate-code.json', mediaType: 'application/json' };
  const reader = {
    name: `code.${VERSION}`,
    files: SCRIPT,
    label,
    told: (result: SandboxResult) => counted(result, context),
  };
  const ref = await readOnce(context, candidate, reader);
  return readJsonBlob<CodeStats>(context.blobs, ref.sha256);
}

async function counted(result: SandboxResult, context: StageContext): Promise<CodeStats> {
  if (result.timeLimit === 'wall') throw new DomainFailure('sandbox.lost', 'counting the code ran out of time');
  const found = printed<Counted>(result);
  if (found === null) return { files: 0, loc: 0, tokens: 0, functions: 0, stubs: 0 };
  const { files, loc, functions, stubs, code } = found;
  const countCodeTokens = await createCodeTokenCounter();
  let tokens = 0;
  for (const text of code) {
    tokens += countCodeTokens(text);
    context.heartbeat();
  }
  return { files, loc, tokens, functions, stubs };
}
