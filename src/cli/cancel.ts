import { statusReport } from '../report/status-report.js';
import { author } from './author.js';
import { comeBack } from './come-back.js';
import { campaignSubject } from './campaign-subject.js';
import type { CommandEntry } from './command-entry.js';
import type { Engine } from './engine.js';
import { endedCampaign } from './ended-campaign.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { followCampaign, isClosed } from './follow-campaign.js';
import { onInterrupt } from './interrupt.js';
import { reasonOf } from './reason-of.js';
import { refuseRunningBuild } from './refuse-running-build.js';
import { isRunningHere } from './running-here.js';
import type { Session } from './session.js';
import { stopEffect } from './stop-effect.js';
import { withEngine } from './with-engine.js';
import { campaignId, withWorkplace, type Workplace } from './workplace.js';

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
    withWorkplace(session, async (place) => {
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
      return withEngine(session, place, async (engine) => {
        const reason = reasonOf(options, 'cancel');
        await place.records.setDesiredState({ campaignId: id, state: 'cancel', author: author(), reason });
        await end(session, place, engine, id);
        const isClosedNow = options.detach !== true && (await untilEnded(session, place, engine, id));
        if (!isClosedNow) session.output.say(await comeBack(session, place, { id, engine }));
        if (session.output.flags.json) session.output.json(statusReport(await campaignSubject(session, place, id)));
        return EXIT.ok;
      });
    }),
};

/** Has the campaign's books closed, by whoever runs it. */
async function end(session: Session, place: Workplace, engine: Engine, id: string): Promise<void> {
  const { output } = session;
  const server = await engine.server();
  const holder = await place.records.holder({ campaignId: id, server });
  if (holder !== null) {
    output.say(`cancelling ${id}: its worker on ${holder.host} stops at its next admission; what it runs finishes`);
    return;
  }
  if (await isRunningHere(place, engine, id)) {
    await engine.wakeUp(id);
    await engine.cancel(id);
  }
  // A workflow that was terminated closes no books: a new one that finds `cancel` does nothing else. It is not
  // cancelled on top of that: it has to live until it has closed them.
  else if (!isClosed((await place.records.campaign(id)).status)) {
    await place.records.placeCampaign({ campaignId: id, server });
    await engine.startAgain(id);
  }
  output.say(`cancelling ${id}`);
}

/** @returns whether its books are closed */
async function untilEnded(session: Session, place: Workplace, engine: Engine, id: string): Promise<boolean> {
  const interrupt = onInterrupt();
  try {
    const watched = await followCampaign(session, place, { id, engine, signal: interrupt.signal });
    return watched.ended === 'closed';
  } finally {
    interrupt.release();
  }
}

async function sayEffect({ output }: Session, place: Workplace, id: string): Promise<ExitCode> {
  const { running: stopping, waiting, finished } = await stopEffect(place, id);
  if (output.flags.json)
    output.json({ dry_run: true, verb: 'cancel', campaign: id, stopping, waiting, finished, usd: 0 });
  else
    output.data(
      `would cancel ${id}: ${stopping.length} running trials are stopped, ${waiting} are not run, ${finished} stay as they ended; it costs nothing`,
    );
  return EXIT.ok;
}
