import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { withConnection, type Connection } from '../../../client/connection.js';
import { regradeTrials, verdictChanges } from '../../../client/control/regrade-trials.js';
import type { RunsAnswer } from '../../../client/control/plan-runs.js';
import { withEngine } from '../../../client/with-engine.js';
import { plainTable } from '../../../report/result-table.js';
import type { CommandEntry } from '../../command-entry.js';
import { givenReason } from '../../options/given-reason.js';
import type { Session } from '../../session.js';
import { showRuns } from './show-runs.js';

/** `durabench regrade CAMPAIGN [--vote]` */
export const regrade: CommandEntry = {
  declare: (program) =>
    program
      .command('regrade')
      .description('re-score finished trials from stored evidence with the current grader; previous verdicts are kept')
      .argument('[campaign]', 'id, unique beginning of an id, or latest', 'latest')
      .option('--vote', 'also vote again; stored answers are not paid again')
      .option('--take-over', 'take it over from another server that may still run it')
      .option('--reason <text>', 'kept in the record')
      .option('--dry-run', 'only say which trials would be regraded')
      .option('--detach', 'return as soon as it runs'),
  action: (session, [wanted = 'latest'], options) => {
    const [isDryRun, isDetached] = [options.dryRun === true, options.detach === true];
    return withConnection(session, (connection) =>
      withEngine(session, connection, async (engine) => {
        const answer = await regradeTrials(session, connection, engine, {
          ...{ id: await campaignNamed(connection, wanted), vote: options.vote === true, reason: givenReason(options) },
          ...{ dryRun: isDryRun, takeOver: options.takeOver === true },
        });
        const code = await showRuns(
          session,
          { connection, engine },
          { command: 'regrade', isDryRun, isDetached },
          answer,
        );
        if (answer.state === 'started' && !isDetached) await showChanges(session, connection, answer);
        return code;
      }),
    );
  },
};

/** The table of what changed: trial, old and new verdict. */
async function showChanges(
  { output }: Session,
  connection: Connection,
  { id, runs }: Extract<RunsAnswer, { state: 'started' }>,
): Promise<void> {
  if (output.flags.json) return; // `report --format json` has it
  const changed = await verdictChanges(connection, id, runs);
  output.data(`\nregraded     ${runs.length} trials, ${changed.length} changed`);
  const rows = changed.map(({ trial, before, now }) => [trial, before, now]);
  if (rows.length > 0) output.data(plainTable(['trial', 'before', 'now'], rows));
}
