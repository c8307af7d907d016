import type { Connection } from '../../../client/connection.js';
import { regradeTrials, verdictChanges } from '../../../client/control/regrade-trials.js';
import type { RunsAnswer } from '../../../client/control/plan-runs.js';
import { plainTable } from '../../../report/result-table.js';
import type { CommandEntry } from '../../command-entry.js';
import type { Session } from '../../session.js';
import { askForRuns, runsOptions } from './runs-command.js';

/** `durabench regrade CAMPAIGN [--vote]` */
export const regrade: CommandEntry = {
  declare: (program) =>
    runsOptions(
      program
        .command('regrade')
        .description(
          're-score finished trials from stored evidence with the current grader; previous verdicts are kept',
        )
        .argument('[campaign]', 'id, unique prefix of an id, or latest', 'latest')
        .option('--vote', 'also vote again; stored answers are not paid again'),
      'only say which trials would be regraded',
    ),
  action: (session, [wanted], options) =>
    askForRuns(
      session,
      'regrade',
      { wanted, options },
      (connection, engine, request) =>
        regradeTrials(session, connection, engine, { ...request, vote: options.vote === true }),
      (connection, answer) => showChanges(session, connection, answer),
    ),
};

/** The table of what changed: trial, old and new verdict. */
async function showChanges({ output }: Session, connection: Connection, answer: RunsAnswer): Promise<void> {
  if (answer.state !== 'started' || output.flags.json) return; // `report --format json` has it
  const { id, runs } = answer;
  const changed = await verdictChanges(connection, id, runs);
  output.data(`\nregraded     ${runs.length} trials, ${changed.length} changed`);
  const rows = changed.map(({ trial, before, now }) => [trial, before, now]);
  if (rows.length > 0)
    output.data(plainTable(['trial', 'before', 'now'], rows, [], { width: output.width, ranks: [] }));
}
