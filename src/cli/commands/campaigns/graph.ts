import { withConnection, type Connection } from '../../../client/connection.js';
import { exportGraph, importGraph } from '../../../client/control/generation-graph.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { givenReason } from '../../options/given-reason.js';
import { unknownAction } from '../../options/unknown-action.js';
import type { Session } from '../../session.js';

/** `durabench graph export|import GENERATION [FILE]` */
export const graph: CommandEntry = {
  declare: (program) =>
    program
      .command('graph')
      .description(
        'the plan of a generation. export: print it; import: continue with an edited one once the campaign is resumed',
      )
      .argument('<action>', 'export or import')
      .argument('<generation>', '<campaign>/<system>/<scope>/<repeat>, or a campaign that has one such generation')
      .argument('[file]', 'import: the edited graph')
      .option(
        '--stage <stage>',
        'import: keep the plan up to this stage (features, …, interfaces), and plan the rest again; by default as far as before',
      )
      .option('--reason <text>', 'import: kept in the record')
      .option('--dry-run', 'import: only check it, and say what would change'),
  action: async (session, [action = '', wanted = '', file], options) => {
    if (action !== 'export' && action !== 'import')
      throw unknownAction('graph', action, {
        actions: ['export', 'import'],
        example: 'durabench graph export GENERATION',
      });
    return withConnection(session, (connection) =>
      action === 'export'
        ? showGraph(session, connection, wanted)
        : bringGraph(session, connection, { generation: wanted, file }, options),
    );
  },
};

async function showGraph({ output }: Session, connection: Connection, wanted: string): Promise<ExitCode> {
  const { text, generation, stage, step } = await exportGraph(connection, wanted);
  if (output.flags.json) output.json('graph', { generation, stage, step, graph: JSON.parse(text) as unknown });
  else output.data(text.trimEnd());
  output.say(`graph of ${generation} after ${step}: ${stageText(stage)}`);
  return EXIT.ok;
}

async function bringGraph(
  session: Session,
  connection: Connection,
  asked: { generation: string; file: string | undefined },
  options: Record<string, unknown>,
): Promise<ExitCode> {
  const { output } = session;
  const dryRun = options.dryRun === true;
  const stageAsked = typeof options.stage === 'string' ? options.stage : undefined;
  const { generation, campaign, stage, changed, changes } = await importGraph(session, connection, asked, {
    ...{ stage: stageAsked, reason: givenReason(options), dryRun },
  });
  if (output.flags.json)
    output.json('graph-import', { dry_run: dryRun, command: 'graph import', generation, stage, changed, changes });
  else for (const line of changes) output.data(line);
  output.say(
    changed
      ? `${generation} ${dryRun ? 'would go on' : 'goes on'} with it (${stageText(stage)}): durabench resume ${campaign}`
      : `${generation} has this graph already: nothing was changed`,
  );
  return EXIT.ok;
}

const stageText = (stage: string | null): string =>
  stage === null ? 'features are still proposed' : `planned to its ${stage}`;
