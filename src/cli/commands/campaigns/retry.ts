import type { Problem } from '../../../contract/problem.js';
import type { CampaignRow, RunSelection } from '../../../ports/records.js';
import type { CommandEntry } from '../../command-entry.js';
import { givenReason, reasonOf } from '../../options/reason-of.js';
import { runningCampaign, runVerb } from './run-verb.js';
import { isRunningHere } from '../../../client/campaigns/running-here.js';
import { trialNamed } from '../../../client/campaigns/trial-named.js';
import { withEngine } from '../../../client/with-engine.js';
import { campaignId, withConnection, type Connection } from '../../../client/connection.js';
import { UserError } from '../../../domain/failure/user-error.js';

type Retry = Extract<RunSelection, { verb: 'retry' }>;

/** `durabench retry CAMPAIGN [--errored | --not-run | --failed --reason TEXT | --trial ID …]` */
export const retry: CommandEntry = {
  declare: (program) =>
    program
      .command('retry')
      .description('run trials again, as a further run: earlier ones stay visible, the first graded one is the score')
      .argument('[campaign]', 'id, unique beginning of an id, or latest', 'latest')
      .option('--errored', 'trials that errored (the default)')
      .option('--not-run', 'trials that were not run')
      .option('--failed', 'trials that were graded and failed; shown apart, never counted. Needs --reason')
      .option('--trial <ids...>', 'trials by id, <task>/<system>/<repeat> or its unique beginning')
      .option('--fresh', 'with --failed or --trial: ask the model anew instead of using its stored answers')
      .option('--take-over', 'also from another server that may still run it: that one is superseded')
      .option('--reason <text>', 'kept in the record')
      .option('--dry-run', 'only say which trials would be run, why, and about what it would cost')
      .option('--detach', 'return as soon as it runs'),
  action: (session, [wanted = 'latest'], options) => {
    const fresh = options.fresh === true;
    const which = readChoice(options);
    const reason = givenReason(options);
    return withConnection(session, (place) =>
      withEngine(session, place, async (engine) => {
        const id = await campaignId(place.records, wanted);
        if (await isRunningHere(place, engine, id)) throw runningCampaign(id, 'retry');
        const selection: Retry = { verb: 'retry', fresh, which: await named(place, id, which) };
        await checkReason(place, id, selection, reason);
        return runVerb(session, place, engine, {
          ...{
            id,
            selection,
            takesOver: options.takeOver === true,
            reason: reasonOf(options, 'retry'),
          },
          ...{ isDryRun: options.dryRun === true, isDetached: options.detach === true },
          details: { which: typeof which === 'string' ? which : [...which], fresh },
          nothing: (campaign) => nothingChosen(campaign, which),
        });
      }),
    );
  },
};

/** One of the choices; all that is wrong with the options is told together. */
function readChoice(options: Record<string, unknown>): Retry['which'] {
  const { errored, notRun, failed, trial, fresh } = options;
  const given = [errored && '--errored', notRun && '--not-run', failed && '--failed', trial && '--trial'].filter(
    Boolean,
  );
  const problems = [];
  if (given.length > 1)
    problems.push({
      message: `retry was given ${given.join(' and ')}`,
      expected: 'one of --errored, --not-run, --failed and --trial at a time',
      fix: 'run it once for each',
    });
  if (fresh === true && failed !== true && trial === undefined)
    problems.push({
      message: '--fresh without --failed or --trial',
      expected: '--fresh for trials that were graded: others have no sample to replace',
      fix: 'leave --fresh out',
    });
  if (failed === true && givenReason(options) === undefined) problems.push(reasonMissing('--failed'));
  if (problems.length > 0) throw new UserError('usage', problems);
  if (Array.isArray(trial)) return trial as string[];
  return failed === true ? 'failed' : notRun === true ? 'not_run' : 'errored';
}

async function named(place: Connection, id: string, which: Retry['which']): Promise<Retry['which']> {
  if (typeof which === 'string') return which;
  return Promise.all(which.map((trial) => trialNamed(place, id, tailOf(trial, id))));
}

const tailOf = (trial: string, campaign: string): string[] =>
  (trial.startsWith(`${campaign}/`) ? trial.slice(campaign.length + 1) : trial).split('/');

/** Whoever samples a graded trial again has to say why. */
async function checkReason(place: Connection, id: string, { which }: Retry, reason?: string): Promise<void> {
  if (typeof which === 'string' || reason !== undefined) return;
  const trials = await place.records.trials(id);
  const isGraded = trials.some((row) => which.includes(row.id) && ['passed', 'failed'].includes(row.outcome ?? ''));
  if (isGraded) throw new UserError('usage', reasonMissing('a trial that was graded'));
}

function reasonMissing(trials: string): Problem {
  return {
    message: `retry of ${trials} without --reason`,
    expected: 'graded trials are run again for a reason that stays in the record; the score keeps the first graded run',
    fix: 'add --reason "…"; for more samples of every task, set repeats in a new campaign',
  };
}

function nothingChosen({ id, trials }: CampaignRow, which: Retry['which']): string {
  const { passed, failed, errored, not_run: notRun } = trials;
  const has = `it has ${errored} errored, ${notRun} not run, ${failed} failed, ${passed} passed`;
  if (typeof which === 'string')
    return `campaign ${id} has no trial that is ${which.replace('_', ' ')}: there is nothing to retry; ${has}`;
  throw new UserError('usage', {
    message: `campaign ${id} cannot run these trials again as it stands`,
    expected: `trials that have ended: ${has}`,
    fix: `durabench resume ${id}`,
  });
}
