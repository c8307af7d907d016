import { statusReport } from '../../../report/status-report.js';
import { author } from '../../../client/actor.js';
import { comeBack } from './come-back.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import type { CommandEntry } from '../../command-entry.js';
import type { Engine } from '../../../client/engine.js';
import { endedCampaign, isClosed } from '../../../client/campaigns/ended-campaign.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { watchCampaign } from './watch-campaign.js';
import { onInterrupt } from '../../interrupt.js';
import { reasonOf } from '../../options/reason-of.js';
import { otherHolder } from '../../../client/campaigns/refuse-held.js';
import { refuseRunningBuild } from './refuse-running-build.js';
import { isTemporalAway } from '../../../client/open-temporal.js';
import type { Session } from '../../session.js';
import { stopEffect } from '../../../client/campaigns/stop-effect.js';
import { workflowState } from '../../../client/campaigns/workflow-state.js';
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
  action: (session, [wanted = 'latest'], options) =>
    withConnection(session, async (place) => {
      const id = await campaignId(place.records, wanted);
      const campaign = await place.records.campaign(id);
      const { status } = campaign;
      if (isClosed(status)) {
        if (status !== 'cancelled') throw endedCampaign(id, status);
        session.output.say(`campaign ${id} was cancelled before: nothing was changed`);
        if (session.output.flags.json) session.output.json(statusReport(await campaignSubject(session, place, id)));
        return EXIT.ok;
      }
      await refuseRunningBuild(session, place, campaign);
      if (options.dryRun === true) return sayEffect(session, place, id);
      const reason = reasonOf(options, 'cancel');
      await place.records.setDesiredState({ campaignId: id, state: 'cancel', author: author(), reason });
      await end(session, place, { id, isDetached: options.detach === true });
      if (session.output.flags.json) session.output.json(statusReport(await campaignSubject(session, place, id)));
      return EXIT.ok;
    }),
};

/** A server that is up answers sooner, and a cancel must not wait for one that is not. */
const CONNECT_MS = 5_000;
/** What is stopped in order (containers removed, calls settled) takes seconds. Later its books are closed by themselves. */
const GRACE_MS = 18_000;

interface Cancel {
  id: string;
  isDetached: boolean;
}

/** Has the campaign's books closed: by whoever runs it, or, where nobody does in time, by the records alone. */
async function end(session: Session, place: Connection, cancel: Cancel): Promise<void> {
  const { openEngine } = await import('../../../client/open-engine.js');
  const opened = await openEngine(session, place, { deadlineMs: CONNECT_MS }).catch((error: unknown) => {
    if (!isTemporalAway(error)) throw error;
    return null;
  });
  try {
    if (opened === null) return await closeByRecords(session, place, cancel.id, null);
    await endInOrder(session, place, opened.engine, cancel);
  } finally {
    await opened?.close();
  }
}

async function endInOrder(
  session: Session,
  place: Connection,
  engine: Engine,
  { id, isDetached }: Cancel,
): Promise<void> {
  const { output } = session;
  const holder = await otherHolder(session, place.records, engine, id);
  if (holder !== null)
    output.say(`cancelling ${id}: its worker on ${holder.host} stops at its next admission; what it runs finishes`);
  else if ((await workflowState(session, place, engine, id)).state !== 'fine')
    return closeByRecords(session, place, id, engine);
  else {
    await engine.wakeUp(id);
    await engine.cancel(id);
    output.say(`cancelling ${id}`);
  }
  const ended = isDetached ? 'detached' : await untilEnded(session, place, engine, id);
  if (ended === 'detached') output.say(await comeBack(session, place, { id, engine }));
  else if (ended === 'late') await closeByRecords(session, place, id, engine);
}

/** Ctrl-C leaves it to itself. */
async function untilEnded(
  session: Session,
  place: Connection,
  engine: Engine,
  id: string,
): Promise<'closed' | 'detached' | 'late'> {
  const interrupt = onInterrupt();
  try {
    const signal = AbortSignal.any([interrupt.signal, AbortSignal.timeout(GRACE_MS)]);
    const watched = await watchCampaign(session, place, { id, engine, signal });
    if (watched.ended === 'closed') return 'closed';
    return interrupt.signal.aborted ? 'detached' : 'late';
  } finally {
    interrupt.release();
  }
}

/**
 * Ends a campaign that nobody ends: whoever still runs it is superseded, its books are closed, and its workflows are
 * terminated. @param engine null: Temporal does not answer
 */
async function closeByRecords(session: Session, place: Connection, id: string, engine: Engine | null): Promise<void> {
  const { records } = place;
  const { output } = session;
  const epoch = await records.supersede(id);
  output.say(
    engine === null
      ? `Temporal does not answer: ${id} is ended by its records; what is left of it there ends when it is back`
      : `ending ${id} by its records, and its workflows with it`,
  );
  await engine?.terminate(id, 'durabench cancel');
  for (let status = null; status === null && epoch !== null;)
    ({ status } = await records.closeCampaign({ campaignId: id, epoch, cancelled: true }));
  output.say(`${id} has ended`);
}

async function sayEffect({ output }: Session, place: Connection, id: string): Promise<ExitCode> {
  const { running: stopping, waiting, finished } = await stopEffect(place, id);
  if (output.flags.json)
    output.json({ dry_run: true, verb: 'cancel', campaign: id, stopping, waiting, finished, usd: 0 });
  else
    output.data(
      `would cancel ${id}: ${stopping.length} running trials are stopped, ${waiting} are not run, ${finished} stay as they ended; it costs nothing`,
    );
  return EXIT.ok;
}
