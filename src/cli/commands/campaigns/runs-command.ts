import type { Command } from 'commander';
import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { withConnection, type Connection } from '../../../client/connection.js';
import type { RunsAnswer, RunsOptions } from '../../../client/control/plan-runs.js';
import type { Engine } from '../../../client/engine.js';
import { withEngine } from '../../../client/with-engine.js';
import type { ExitCode } from '../../exit-code.js';
import { givenReason } from '../../options/given-reason.js';
import type { Session } from '../../session.js';
import { showRuns } from './show-runs.js';

/** Declares the options that `resume`, `retry` and `regrade` share, after their own. @param dryRun what `--dry-run` tells */
export function runsOptions(command: Command, dryRun: string): Command {
  return command
    .option('--take-over', 'take it over from another server that may still run it')
    .option('--reason <text>', 'kept in the record')
    .option('--dry-run', dryRun)
    .option('--detach', 'return as soon as it runs');
}

/** Asks for the runs and shows what came of it. */
export function askForRuns(
  session: Session,
  command: 'resume' | 'retry' | 'regrade',
  given: { wanted: string | undefined; options: Record<string, unknown> },
  ask: (connection: Connection, engine: Engine, request: RunsOptions & { id: string }) => Promise<RunsAnswer>,
  afterwards?: (connection: Connection, answer: RunsAnswer) => Promise<void>,
): Promise<ExitCode> {
  const { wanted = 'latest', options } = given;
  const [isDryRun, isDetached] = [options.dryRun === true, options.detach === true];
  const asked = { reason: givenReason(options), dryRun: isDryRun, takeOver: options.takeOver === true };
  return withConnection(session, (connection) =>
    withEngine(session, connection, async (engine) => {
      const answer = await ask(connection, engine, { ...asked, id: await campaignNamed(connection, wanted) });
      const code = await showRuns(session, { connection, engine }, { command, isDryRun, isDetached }, answer);
      if (!isDetached) await afterwards?.(connection, answer);
      return code;
    }),
  );
}
