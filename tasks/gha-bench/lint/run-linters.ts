import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import { jsonHash, sha256Hex } from '../../../src/domain/text/content-hash.js';
import type { Sandbox, SandboxRun } from '../../../src/ports/sandbox.js';
import type { Tree } from '../../../src/suite-kit/packed-files.js';
import { GHA_LIMITS } from '../suite.js';
import { lintEvidenceSchema, type LintEnd, type LintEvidence } from './tool-report.js';

/** Recipe of the image with the tools. */
export const LINT_IMAGE = 'gha-lint';

/** What is looked at, and where. */
export interface LintRequest {
  /** Of the candidate; they come before those of the project. */
  files: Tree;
  /** The project: a workflow may call what is there. Path → text. */
  project: Readonly<Record<string, string>>;
  /** Paths of the candidate. */
  workflows: readonly string[];
  actions: readonly string[];
  suiteFolder: string;
  sandbox: Sandbox;
  owner: SandboxRun['owner'];
  signal: AbortSignal;
  onProgress?: () => void;
}

/**
 * Runs the linters over the files of a candidate, once, in a container without a network.
 * @throws as `Sandbox.run` does; DomainFailure `sandbox.lost` where the run ended without the candidate's doing, `harness.bug` where it
 *   ended in a way it never should
 */
export async function runLinters(request: LintRequest): Promise<LintEnd> {
  const { sandbox, owner, signal, onProgress } = request;
  const result = await sandbox.run({
    image: LINT_IMAGE,
    command: ['python3', '-I', 'run_linters.py', 'request.json'],
    files: await filesOf(request),
    mounts: [],
    limits: GHA_LIMITS.lint,
    // The tools read files, and run nothing of them.
    poolKey: LINT_IMAGE,
    ...{ owner, signal },
    ...(onProgress ? { onProgress } : {}),
  });
  if (result.outOfMemory) return { limit: 'the linters ran out of memory' };
  if (result.timeLimit === 'cpu') return { limit: 'the linters ran out of processor time' };
  if (result.timedOut) throw new DomainFailure('sandbox.lost', 'the linters did not come to their end in time');
  if (result.stdout.truncated) return { limit: 'the linters have more to say than is read' };
  if (result.exitCode !== 0) throw broken(`status ${result.exitCode}`, result.stderr.bytes.toString('utf8'));
  return { evidence: lintEvidenceSchema.parse(JSON.parse(result.stdout.bytes.toString('utf8'))) };
}

/**
 * Passes where every tool came to its end and read every file, or was kept busy by the files until their limits. What a tool
 * cannot read, and GitHub takes, is the tool's fault: nobody is judged by it.
 * @throws DomainFailure as {@link runLinters}
 */
export function checkEnds({ tools }: LintEvidence): void {
  for (const [tool, { end, status, errors, unread }] of Object.entries(tools)) {
    // The kernel ends what it likes where the machine has no memory left: once more.
    if (end === 'failed' && status === -9) throw new DomainFailure('sandbox.lost', `${tool} was killed`);
    if (end === 'failed') throw broken(`${tool} with status ${status}`, errors);
    if (end === 'done' && unread.length > 0) throw broken(`${tool} without having read ${unread.join(', ')}`, errors);
  }
}

const broken = (how: string, said: string): DomainFailure =>
  new DomainFailure('harness.bug', {
    message: `the linters ended with ${how}: ${said.slice(-600).trim()}`,
    expected: 'findings as JSON',
    fix: 'durabench images build gha-lint; if that does not help, report it with the evidence of the trial',
  });

/** Where the same was looked at before, it is not done again: files, image, tools and what they are told. */
export async function lintKey(
  request: Pick<LintRequest, 'files' | 'project' | 'suiteFolder' | 'sandbox'>,
): Promise<string> {
  const own = await ownFiles(request.suiteFolder);
  const hashes = (files: Iterable<[string, Uint8Array | string]>): [string, string][] =>
    [...files].map(([path, content]): [string, string] => [path, sha256Hex(content)]).sort();
  const image = await request.sandbox.imageDigest(LINT_IMAGE);
  const parts = [image, hashes(Object.entries(own)), hashes(request.files), hashes(Object.entries(request.project))];
  return `gha-bench.lint/${jsonHash(parts)}`;
}

async function filesOf({ files, project, workflows, actions, suiteFolder }: LintRequest): Promise<SandboxRun['files']> {
  const below = (entries: Iterable<[string, Uint8Array | string]>): [string, Uint8Array | string][] =>
    [...entries].map(([path, content]) => [`project/${path}`, content]);
  const shown = [...files].filter(([path]) => !CONFIGURATION.test(path));
  return Object.fromEntries([
    ...Object.entries(await ownFiles(suiteFolder)),
    ['request.json', JSON.stringify({ workflows, actions })],
    ...below(Object.entries(project)),
    ...below(shown.map(([path, content]) => [path, withoutDirectives(content)])),
  ]);
}

/** What a tool would be told by: whoever is graded does not choose what is looked at. */
const CONFIGURATION = /(?:^|\/)(?:actionlint|\.?zizmor)\.ya?ml$|(?:^|\/)\.shellcheckrc$/;

/** Shellcheck has no option against them. Of the same length, so that places stay what they are. */
function withoutDirectives(content: Uint8Array): Buffer {
  const text = Buffer.from(content).toString('latin1');
  return Buffer.from(text.replace(/(#\s*)shellcheck(?=\s+\w)/g, '$1SHELLCHECK'), 'latin1');
}

/** The program in the container and what the tools are told, by path in `/work`. */
async function ownFiles(suiteFolder: string): Promise<Record<string, string>> {
  const folder = join(suiteFolder, 'lint');
  const configs = (await readdir(join(folder, 'config'))).sort();
  const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');
  const entries = configs.map(async (name): Promise<[string, string]> => [
    `config/${name}`,
    await read(`config/${name}`),
  ]);
  return { ...Object.fromEntries(await Promise.all(entries)), 'run_linters.py': await read('python/run_linters.py') };
}
