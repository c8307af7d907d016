import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { nearest } from '../../domain/text/nearest.js';
import { UserError } from '../../domain/failure/user-error.js';
import { systemWords } from '../../domain/failure/system-words.js';
import { sha256Hex } from '../../domain/text/content-hash.js';
import type { EditedGraph, GenerationGraph, LastGraph } from '../../suite/generation.js';
import { actor } from '../actor.js';
import { generationNamed, type GenerationWithGraph } from '../campaigns/generation-named.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { OperatorOptions } from './operator-options.js';

/** Thousands of units fit. */
const LONGEST_FILE_BYTES = 64 * 1024 ** 2;
const MOST_PROBLEMS = 20;

/** The plan of a generation as far as it has come. */
export interface GenerationPlan extends LastGraph {
  /** Id of the generation. */
  generation: string;
}

/**
 * The graph of a generation (`<campaign>/<system>/<scope>/<repeat>`, or a campaign that has one such generation).
 * @throws UserError before there is any
 */
export async function exportGraph(connection: Connection, wanted: string): Promise<GenerationPlan> {
  const found = await generationNamed(connection, wanted);
  return { generation: found.row.id, ...(await lastGraph(connection, found)) };
}

/** The same as a picture. */
export async function graphPicture(
  connection: Connection,
  wanted: string,
  format: 'mermaid' | 'svg',
): Promise<{ generation: string; picture: string }> {
  const found = await generationNamed(connection, wanted);
  const { text } = await lastGraph(connection, found);
  return { generation: found.row.id, picture: found.graph.view(text, format) };
}

/** What an import is asked with. */
export interface GraphImportOptions extends OperatorOptions {
  /** How far it is planned; the rest is planned anew. Default: as far as before. */
  stage?: string | undefined;
}

/** What an edited graph changes; the generation goes on with it when its campaign is resumed. */
export interface GraphImport {
  generation: string;
  campaign: string;
  /** The last stage of planning it holds; null before the first is finished. */
  stage: string | null;
  /** False: the generation has this graph already, and nothing is recorded. */
  changed: boolean;
  /** A sentence each. */
  changes: string[];
}

/**
 * Has a generation go on with the edited graph of a file. Relative paths start at the context's folder.
 * @throws UserError for a graph that breaks a rule, while the campaign runs, and once the generation has its candidate
 */
export async function importGraph(
  { cwd }: Pick<Context, 'cwd'>,
  connection: Connection,
  { generation: wanted, file }: { generation: string; file: string | undefined },
  { stage: asked, reason = 'durabench graph import', dryRun: isDryRun = false }: GraphImportOptions = {},
): Promise<GraphImport> {
  const { records, blobs } = connection;
  const { row, graph } = await generationNamed(connection, wanted);
  if (asked !== undefined) checkStage(graph, asked);
  const text = await readGraphFile(cwd, file);
  const before = await graph.last((await records.generation(row.id)).steps, blobs);
  const edited = graph.edit(text, { before, ...(asked === undefined ? {} : { stage: asked }) });
  if ('problems' in edited) throw brokenGraph(file ?? '', edited.problems);
  const { changes, stage } = edited;
  const changed = before === null || edited.text !== before.text || stage !== before.stage;
  await record(connection, { generationId: row.id, edited, before, reason, isDryRun: isDryRun || !changed });
  return { generation: row.id, campaign: row.campaignId, stage, changed, changes };
}

async function record(
  { records, blobs }: Connection,
  edit: { generationId: string; edited: EditedGraph; before: LastGraph | null; reason: string; isDryRun: boolean },
): Promise<void> {
  const { generationId, edited, before, reason, isDryRun } = edit;
  const { changes, stage, step } = edited;
  const hashes = { before: before === null ? null : sha256Hex(before.text), after: sha256Hex(edited.text) };
  const details = { ...hashes, stage, changes };
  const about = { generationId, stage: 'generate', step, author: actor(), reason, details } as const;
  // Whether it may be edited is asked of every import, also of one that would change nothing.
  await records.recordEdit({ ...about, result: edited.result(hashes.after), evidence: [], isDryRun: true });
  if (isDryRun) return;
  const ref = await blobs.put(edited.text, { name: 'graph.json', mediaType: 'application/json' });
  await records.recordEdit({ ...about, result: edited.result(ref.sha256), evidence: [ref], isDryRun: false });
}

async function readGraphFile(folder: string, file: string | undefined): Promise<string> {
  const example = 'durabench graph import GENERATION graph.json';
  const unreadable = (message: string): UserError =>
    new UserError('usage', { message, expected: 'a file that `durabench graph export` wrote, edited', fix: example });
  if (file === undefined) throw unreadable('no graph file is named');
  const bytes = await readFile(resolve(folder, file)).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(`${file} cannot be read: ${systemWords(error)}`);
  });
  if (bytes.length > LONGEST_FILE_BYTES) throw unreadable(`${file} has ${bytes.length} bytes`);
  return bytes.toString('utf8');
}

async function lastGraph({ records, blobs }: Connection, { row, graph }: GenerationWithGraph): Promise<LastGraph> {
  const last = await graph.last((await records.generation(row.id)).steps, blobs);
  if (last !== null) return last;
  throw new UserError('usage', {
    message: `generation ${row.id} has no graph yet`,
    expected: 'a generation that has begun',
    fix: `watch it: durabench status ${row.campaignId} --watch`,
  });
}

function brokenGraph(file: string, problems: readonly string[]): UserError {
  const shown = problems.slice(0, MOST_PROBLEMS);
  const more = problems.length - shown.length;
  return new UserError(
    'usage',
    shown.map((problem, index) => ({
      message: `${file}: ${problem}${index === MOST_PROBLEMS - 1 && more > 0 ? ` (and ${more} more)` : ''}`,
      expected: 'a graph that keeps every rule of its stage',
      fix: 'correct the file and import it again; the generation keeps the graph it has',
    })),
  );
}

function checkStage({ stages }: GenerationGraph, stage: string): void {
  if (stages.includes(stage)) return;
  const meant = nearest(stage, stages);
  throw new UserError('usage', {
    message: `"${stage}" is not a stage of planning`,
    expected: `one of ${stages.join(', ')}`,
    fix: meant === undefined ? `--stage ${stages[0] ?? ''}` : `did you mean "${meant}"?`,
  });
}
