import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../../domain/failure/user-error.js';
import { statusReport } from '../../../report/status-report.js';
import { author } from '../../../client/actor.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import type { CommandEntry } from '../../command-entry.js';
import { endCampaign } from './end-campaign.js';
import { isClosed } from '../../../client/campaigns/ended-campaign.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { reasonOf } from '../../options/reason-of.js';
import type { Session } from '../../session.js';
import { stopEffect } from '../../../client/campaigns/stop-effect.js';
import { campaignId, withConnection, type Connection } from '../../../client/connection.js';

/** `durabench cancel CAMPAIGN` */
export const cancel: CommandEntry = {
  declare: (program) =>
    program
      .command('cancel')
      .description('end a campaign: what runs is stopped, what was not started becomes not run; `resume` goes on')
      .argument('<campaign>', 'id, unique beginning of an id, or latest')
      .option('--reason <text>', 'kept in the record')
      .option('--detach', 'do not wait until it has ended')
      .option('--dry-run', 'only say which trials would be stopped and how many would not be run'),
  action: (session, [wanted = 'latest'], options) => {
    const progress: Progress = { id: wanted, isRecorded: false, done: new Set() };
    const work = withConnection(session, (place) => cancelCampaign(session, place, { wanted, options, progress }));
    return beforeDeadline(work, progress, session.environment().cancelSeconds);
  },
};

/** What hangs keeps its connections open, and the process with them. */
const LEAVE_MS = 1_000;

/** How far a cancel has come. */
interface Progress {
  id: string;
  isRecorded: boolean;
  done: Set<string>;
}

async function cancelCampaign(
  session: Session,
  place: Connection,
  { wanted, options, progress }: { wanted: string; options: Record<string, unknown>; progress: Progress },
): Promise<ExitCode> {
  const id = await campaignId(place.records, wanted);
  progress.id = id;
  const campaign = await place.records.campaign(id);
  const { status } = campaign;
  if (isClosed(status)) {
    const ended = status === 'cancelled' ? 'was cancelled before' : `has ended (${status.replace('_', ' ')})`;
    session.output.say(`campaign ${id} ${ended}: nothing was changed`);
    if (options.dryRun === true && session.output.flags.json) return sayEffect(session, place, id);
    return tellEnd(session, place, id);
  }
  if (options.dryRun === true) return sayEffect(session, place, id);
  const reason = reasonOf(options, 'cancel');
  await place.records.setDesiredState({ campaignId: id, state: 'cancel', author: author(), reason });
  progress.isRecorded = true;
  const onDone = (what: string): void => void progress.done.add(what);
  const seconds = session.environment().cancelSeconds;
  await endCampaign(session, place, { id, isDetached: options.detach === true, seconds, onDone });
  return tellEnd(session, place, id);
}

async function tellEnd(session: Session, place: Connection, id: string): Promise<ExitCode> {
  if (session.output.flags.json) session.output.json('status', statusReport(await campaignSubject(session, place, id)));
  return EXIT.ok;
}

/**
 * A cancel never takes longer: whoever asked is told what is done, and what goes on without this command. The process ends
 * however much of the work hangs.
 */
async function beforeDeadline(work: Promise<ExitCode>, progress: Progress, seconds: number): Promise<ExitCode> {
  const over = new AbortController();
  const late = sleep(seconds * 1_000, undefined, { signal: over.signal }).then(() => {
    setTimeout(() => process.exit(EXIT.environment), LEAVE_MS).unref();
    throw unfinished(progress, seconds);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

function unfinished({ id, isRecorded, done }: Progress, seconds: number): UserError {
  const fix = `see where it stands: durabench status ${id}`;
  const problem = isRecorded
    ? {
        message: `the cancel of ${id} is recorded${[...done].map((what) => `, ${what}`).join('')}, but it has not ended within ${seconds} s`,
        expected: 'nothing of it is started any more; a worker ends the rest by itself, as soon as one can',
        fix,
      }
    : {
        message: `${id} was not cancelled: the servers did not answer within ${seconds} s`,
        expected: 'a Postgres that answers, and holds nothing of the campaign locked',
        fix: `${fix}; then again: durabench cancel ${id}`,
      };
  return new UserError('environment', problem);
}

async function sayEffect({ output }: Session, place: Connection, id: string): Promise<ExitCode> {
  const { running: stopping, waiting, finished } = await stopEffect(place, id);
  if (output.flags.json)
    output.json('cancel-effect', { dry_run: true, verb: 'cancel', campaign: id, stopping, waiting, finished, usd: 0 });
  else
    output.data(
      `would cancel ${id}: ${stopping.length} running trials are stopped, ${waiting} are not run, ${finished} stay as they ended; it costs nothing`,
    );
  return EXIT.ok;
}
