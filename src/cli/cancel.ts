import { statusReport } from '../report/status-report.js';
import { author } from './author.js';
import { comeBack } from './come-back.js';
import { campaignSubject } from './campaign-subject.js';
import type { CommandEntry } from './command-entry.js';
import { CommandProblem } from './command-problem.js';
import { EXIT } from './exit-code.js';
import { followCampaign, isClosed } from './follow-campaign.js';
import { onInterrupt } from './interrupt.js';
import { campaignId, withWorkplace } from './workplace.js';

/** `durabench cancel CAMPAIGN` */
export const cancel: CommandEntry = {
  declare: (program) =>
    program
      .command('cancel')
      .description('end a campaign: what runs is stopped, what was not started becomes not run; `resume` goes on')
      .argument('<campaign>', 'id, unique beginning of an id, or latest')
      .option('--reason <text>', 'kept in the record', 'durabench cancel')
      .option('--detach', 'do not wait until it has ended'),
  action: (session, [wanted = 'latest'], options) =>
    withWorkplace(session, async (place) => {
      const { openEngine } = await import('./open-engine.js');
      const id = await campaignId(place.records, wanted);
      const { status } = await place.records.campaign(id);
      if (isClosed(status)) {
        if (status !== 'cancelled') throw ended(id, status);
        session.output.say(`campaign ${id} was cancelled before`);
        return EXIT.ok;
      }
      const { engine, close } = await openEngine(session, place.services);
      const interrupt = onInterrupt();
      try {
        const reason = String(options.reason);
        await place.records.setDesiredState({ campaignId: id, state: 'cancel', author: author(), reason });
        if (await engine.isRunning(id)) {
          await engine.wakeUp(id);
          await engine.cancel(id);
        }
        // A workflow that was terminated closes no books: a new one that finds `cancel` does nothing else. It is not
        // cancelled on top of that: it has to live until it has closed them.
        else if (!isClosed((await place.records.campaign(id)).status)) await engine.start(id);
        session.output.say(`cancelling ${id}`);
        const { signal } = interrupt;
        const end = options.detach === true ? undefined : await followCampaign(session, place, { id, engine, signal });
        if (end?.ended !== 'closed') session.output.say(await comeBack(session, place, { id, engine }));
        if (session.output.flags.json) session.output.json(statusReport(await campaignSubject(session, place, id)));
        return EXIT.ok;
      } finally {
        interrupt.release();
        await close();
      }
    }),
};

function ended(id: string, status: string): CommandProblem {
  return new CommandProblem({
    what: `campaign ${id} has ended: ${status.replace('_', ' ')}`,
    allowed: 'a campaign that is planned, running or paused',
    remedy: `see its result: durabench report ${id}`,
  });
}
