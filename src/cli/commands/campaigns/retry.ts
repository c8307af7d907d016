import { retryProblems, retryTrials, type RetriedTrials } from '../../../client/control/retry-trials.js';
import { UserError } from '../../../domain/failure/user-error.js';
import type { CommandEntry } from '../../command-entry.js';
import { givenReason } from '../../options/given-reason.js';
import { askForRuns, runsOptions } from './runs-command.js';

/** `durabench retry CAMPAIGN [--errored | --not-run | --failed --reason TEXT | --trial ID …]` */
export const retry: CommandEntry = {
  declare: (program) =>
    runsOptions(
      program
        .command('retry')
        .description('run trials again; earlier runs stay visible, and the first graded run is the score')
        .argument('[campaign]', 'id, unique prefix of an id, or latest', 'latest')
        .option('--errored', 'trials that errored (the default)')
        .option('--not-run', 'trials that were not run')
        .option('--failed', 'trials that were graded and failed; shown apart, never counted. Needs --reason')
        .option('--trial <ids...>', 'trials by id, <task>/<system>/<repeat> or a unique prefix of it')
        .option('--fresh', 'with --failed or --trial: ask the model anew instead of using its stored answers'),
      'only say which trials would be run, why, and about what it would cost',
    ),
  action: (session, [wanted], options) => {
    const asked = readRetry(options);
    return askForRuns(session, 'retry', { wanted, options }, (connection, engine, request) =>
      retryTrials(session, connection, engine, { ...request, ...asked }),
    );
  },
};

/** One of the choices; all that is wrong with the options is told together. */
function readRetry(options: Record<string, unknown>): { which: RetriedTrials; fresh: boolean; reason?: string } {
  const { errored, notRun, failed, trial } = options;
  const given = [errored && '--errored', notRun && '--not-run', failed && '--failed', trial && '--trial'].filter(
    Boolean,
  );
  const asked = {
    which: Array.isArray(trial)
      ? (trial as string[])
      : failed === true
        ? ('failed' as const)
        : notRun === true
          ? ('not_run' as const)
          : ('errored' as const),
    fresh: options.fresh === true,
    reason: givenReason(options),
  };
  const problems = retryProblems(asked);
  if (given.length > 1)
    problems.unshift({
      message: `retry was given ${given.join(' and ')}`,
      expected: 'one of --errored, --not-run, --failed and --trial at a time',
      fix: 'run it once for each',
    });
  if (problems.length > 0) throw new UserError('usage', problems);
  return asked;
}
