import type { CampaignRow } from '../../../ports/records.js';
import { author } from '../../../client/actor.js';
import type { CommandEntry } from '../../command-entry.js';
import type { Engine } from '../../../client/engine.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { inFlightLine } from '../../../client/campaigns/in-flight-line.js';
import { reasonOf } from '../../options/reason-of.js';
import { refreshWorker, workerNeeds } from '../../../client/machine/refresh-worker.js';
import { sayForecast, waitingRuns } from './run-forecast.js';
import { watchToEnd } from './run.js';
import { runVerb, sayNothing } from './run-verb.js';
import { isRunningHere } from '../../../client/campaigns/running-here.js';
import type { Session } from '../../session.js';
import { workflowState } from '../../../client/campaigns/workflow-state.js';
import { withEngine } from '../../../client/with-engine.js';
import { campaignId, withConnection, type Connection } from '../../../client/connection.js';

/** `durabench resume CAMPAIGN` */
export const resume: CommandEntry = {
  declare: (program) =>
    program
      .command('resume')
      .description(
        'go on with what was interrupted, paused, planned or not run; nothing that was answered is paid again',
      )
      .argument('[campaign]', 'id, unique beginning of an id, or latest', 'latest')
      .option('--take-over', 'also from another server that may still run it: that one is superseded')
      .option('--reason <text>', 'kept in the record')
      .option('--dry-run', 'only say which trials would be run, why, and about what it would cost')
      .option('--detach', 'return as soon as it runs'),
  action: (session, [wanted = 'latest'], options) =>
    withConnection(session, (place) =>
      withEngine(session, place, async (engine) => {
        const id = await campaignId(place.records, wanted);
        const reason = reasonOf(options, 'resume');
        const flags = { isDryRun: options.dryRun === true, isDetached: options.detach === true };
        // Workflows that cannot go on by themselves are started anew, as if none ran.
        if (
          (await isRunningHere(place, engine, id)) &&
          (await workflowState(session, place, engine, id)).state === 'fine'
        )
          return goOn(session, place, engine, { id, reason, ...flags });
        return runVerb(session, place, engine, {
          ...{ id, reason, ...flags, selection: { verb: 'resume' }, takesOver: options.takeOver === true },
          nothing: nothingLeft,
        });
      }),
    ),
};

/** A paused campaign's workflow waits at its gate. */
async function goOn(
  session: Session,
  place: Connection,
  engine: Engine,
  { id, reason, isDryRun, isDetached }: { id: string; reason: string; isDryRun: boolean; isDetached: boolean },
): Promise<ExitCode> {
  const { output } = session;
  const { desiredState, trials, spec } = await place.records.campaign(id);
  const selection = { verb: 'resume' } as const;
  if (desiredState !== 'pause') {
    const why = `campaign ${id} is running: there is nothing to resume; watch it: durabench status ${id} --watch`;
    return sayNothing(session, place, { id, selection, isDryRun, isDetached, why });
  }
  const left = trials.planned - trials.done;
  if (isDryRun) return sayForecast(session, place, { id, selection, runs: await waitingRuns(place, id) });
  await refreshWorker(session, workerNeeds(session, spec));
  await place.records.setDesiredState({ campaignId: id, state: 'run', author: author(), reason });
  await engine.wakeUp(id);
  output.say(`resumed ${id}: ${left} of ${trials.planned} trials to run`);
  output.say(await inFlightLine(place, engine, spec.concurrency));
  if (output.flags.json && isDetached) output.jsonLine('started', { campaign_id: id });
  return isDetached ? EXIT.ok : watchToEnd(session, place, { id, engine });
}

function nothingLeft({ id, status, trials: { errored } }: CampaignRow): string {
  const next = errored > 0 ? `durabench retry ${id} --errored` : `see its result: durabench report ${id}`;
  const ended = `every trial has ended${errored > 0 ? ` (${errored} errored)` : ''}`;
  return `campaign ${id} is ${status.replace('_', ' ')} and ${ended}: there is nothing to resume; ${next}`;
}
