import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { nearest } from '../../../config/nearest.js';
import { sha256Hex } from '../../../domain/text/content-hash.js';
import type { GenerationGraph, LastGraph } from '../../../suite/generation.js';
import { author } from '../../../client/actor.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { generationNamed, type GenerationWithGraph } from '../../../client/campaigns/generation-named.js';
import { reasonOf } from '../../options/reason-of.js';
import type { Session } from '../../session.js';
import { unknownAction } from '../../options/unknown-action.js';
import { withConnection, type Connection } from '../../../client/connection.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** Thousands of units fit. */
const LONGEST_FILE_BYTES = 64 * 1024 ** 2;
const MOST_PROBLEMS = 20;

/** `durabench graph export|import GENERATION [FILE]` */
export const graph: CommandEntry = {
  declare: (program) =>
    program
      .command('graph')
      .description('the plan of a generation. export: print it; import: go on with an edited one when it is resumed')
      .argument('<action>', 'export or import')
      .argument('<generation>', '<campaign>/<system>/<scope>/<repeat>, or a campaign that has one such generation')
      .argument('[file]', 'import: the edited graph')
      .option(
        '--stage <stage>',
        'import: how far it is planned (features, …, interfaces); the rest is planned anew. By default as far as before',
      )
      .option('--reason <text>', 'import: kept in the record')
      .option('--dry-run', 'import: only check it, and say what would change'),
  action: async (session, [action = '', wanted = '', file], options) => {
    if (action !== 'export' && action !== 'import')
      throw unknownAction('graph', action, {
        actions: ['export', 'import'],
        example: 'durabench graph export GENERATION',
      });
    return withConnection(session, async (place) => {
      const generation = await generationNamed(place, wanted);
      if (action === 'export') return exportGraph(session, place, generation);
      const given = {
        stage: textOf(options.stage),
        reason: reasonOf(options, 'graph import'),
        isDryRun: options.dryRun === true,
      };
      return importGraph(session, place, { ...generation, ...given, file });
    });
  },
};

/** The graph a generation has come to. @throws UserError before there is any */
export async function lastGraph(place: Connection, { row, graph: plan }: GenerationWithGraph): Promise<LastGraph> {
  const { steps } = await place.records.generation(row.id);
  const last = await plan.last(steps, place.blobs);
  if (last !== null) return last;
  throw new UserError('usage', {
    message: `generation ${row.id} has no graph yet`,
    expected: 'a generation that has begun',
    fix: `watch it: durabench status ${row.campaignId} --watch`,
  });
}

async function exportGraph(session: Session, place: Connection, generation: GenerationWithGraph): Promise<ExitCode> {
  const { output } = session;
  const { text, stage, step } = await lastGraph(place, generation);
  const told = { generation: generation.row.id, stage, step };
  if (output.flags.json) output.json('graph', { ...told, graph: JSON.parse(text) as unknown });
  else output.data(text.trimEnd());
  output.say(
    `graph of ${told.generation} after ${step}: ${stage === null ? 'features are still proposed' : `planned to its ${stage}`}`,
  );
  return EXIT.ok;
}

interface Import extends GenerationWithGraph {
  file: string | undefined;
  stage: string | undefined;
  reason: string;
  isDryRun: boolean;
}

async function importGraph(session: Session, place: Connection, given: Import): Promise<ExitCode> {
  const { output } = session;
  const { row, graph: plan, reason, isDryRun } = given;
  if (given.stage !== undefined) checkStage(plan, given.stage);
  const text = await readGraphFile(session, given.file);
  const before = await plan.last((await place.records.generation(row.id)).steps, place.blobs);
  const edited = plan.edit(text, { before, ...(given.stage === undefined ? {} : { stage: given.stage }) });
  if ('problems' in edited) throw brokenGraph(given.file ?? '', edited.problems);
  const { changes, stage, step } = edited;
  const isChanged = before === null || edited.text !== before.text || stage !== before.stage;
  const hashes = { before: before === null ? null : sha256Hex(before.text), after: sha256Hex(edited.text) };
  const details = { ...hashes, stage, changes };
  const about = { generationId: row.id, stage: 'generate', step, author: author(), reason, details } as const;
  // Whether it may be edited is asked of every import, also of one that would change nothing.
  await place.records.recordEdit({ ...about, result: edited.result(hashes.after), evidence: [], isDryRun: true });
  if (isChanged && !isDryRun) {
    const ref = await place.blobs.put(edited.text, { name: 'graph.json', mediaType: 'application/json' });
    await place.records.recordEdit({ ...about, result: edited.result(ref.sha256), evidence: [ref], isDryRun: false });
  }
  const told = { dry_run: isDryRun, verb: 'graph import', generation: row.id, stage, changed: isChanged, changes };
  if (output.flags.json) output.json('graph-import', told);
  else for (const line of changes) output.data(line);
  const verb = isDryRun ? 'would go on' : 'goes on';
  output.say(
    isChanged
      ? `${row.id} ${verb} with it (${stage === null ? 'features are still proposed' : `planned to its ${stage}`}): durabench resume ${row.campaignId}`
      : `${row.id} has this graph already: nothing was changed`,
  );
  return EXIT.ok;
}

async function readGraphFile(session: Session, file: string | undefined): Promise<string> {
  const example = 'durabench graph import GENERATION graph.json';
  const unreadable = (message: string): UserError =>
    new UserError('usage', { message, expected: 'a file that `durabench graph export` wrote, edited', fix: example });
  if (file === undefined) throw unreadable('graph import: no file is named');
  const bytes = await readFile(resolve(session.cwd, file)).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(`${file} cannot be read: ${error.code ?? error.message}`);
  });
  if (bytes.length > LONGEST_FILE_BYTES) throw unreadable(`${file} has ${bytes.length} bytes`);
  return bytes.toString('utf8');
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
    message: `--stage: "${stage}" is not a stage of planning`,
    expected: `one of ${stages.join(', ')}`,
    fix: meant === undefined ? `--stage ${stages[0] ?? ''}` : `did you mean "${meant}"?`,
  });
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
