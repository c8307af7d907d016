import { changedVerdicts } from '../../../report/later-runs.js';
import { plainTable } from '../../../report/result-table.js';
import type { CampaignRow, PlannedRun } from '../../../ports/records.js';
import type { CommandEntry } from '../../command-entry.js';
import { graderDigest } from '../../../client/plans/grader-digest.js';
import { reasonOf } from '../../options/reason-of.js';
import { runningCampaign, runVerb } from './run-verb.js';
import { isRunningHere } from '../../../client/campaigns/running-here.js';
import type { Session } from '../../session.js';
import { withEngine } from '../../../client/with-engine.js';
import { campaignId, withConnection, type Connection } from '../../../client/connection.js';

/** `durabench regrade CAMPAIGN [--vote]` */
export const regrade: CommandEntry = {
  declare: (program) =>
    program
      .command('regrade')
      .description('re-score finished trials from stored evidence with the current grader; previous verdicts are kept')
      .argument('[campaign]', 'id, unique beginning of an id, or latest', 'latest')
      .option('--vote', 'vote anew as well; answers that are stored are not paid again')
      .option('--take-over', 'also from another server that may still run it: that one is superseded')
      .option('--reason <text>', 'kept in the record')
      .option('--dry-run', 'only say which trials would be regraded')
      .option('--detach', 'return as soon as it runs'),
  action: (session, [wanted = 'latest'], options) =>
    withConnection(session, (place) =>
      withEngine(session, place, async (engine) => {
        const id = await campaignId(place.records, wanted);
        if (await isRunningHere(place, engine, id)) throw runningCampaign(id, 'regrade');
        const { suite } = await place.records.campaign(id);
        const vote = options.vote === true;
        return runVerb(session, place, engine, {
          ...{ id, selection: { verb: 'regrade', vote }, takesOver: options.takeOver === true },
          ...{ isDryRun: options.dryRun === true, isDetached: options.detach === true },
          reason: reasonOf(options, 'regrade'),
          details: { vote, grader: await graderDigest(session, suite) },
          nothing: nothingGraded,
          atEnd: (runs) => showChanges(session, place, id, runs),
        });
      }),
    ),
};

/** The table of what changed: trial, old and new verdict. */
async function showChanges(
  { output }: Session,
  place: Connection,
  id: string,
  runs: readonly PlannedRun[],
): Promise<void> {
  if (output.flags.json) return; // `report --format json` has it
  const ids = new Set(runs.map(({ trialId }) => trialId));
  const changed = changedVerdicts((await place.records.rerunTrials(id)).filter((trial) => ids.has(trial.id)));
  output.data(`\nregraded     ${runs.length} trials, ${changed.length} changed`);
  const rows = changed.map(({ trial, before, now }) => [trial, before, now]);
  if (rows.length > 0) output.data(plainTable(['trial', 'before', 'now'], rows));
}

function nothingGraded({ id }: CampaignRow): string {
  return `campaign ${id} has no trial that was graded: there is nothing to regrade; durabench resume ${id}`;
}
