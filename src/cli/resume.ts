import type { CommandEntry } from './command-entry.js';
import { CommandProblem } from './command-problem.js';
import { EXIT } from './exit-code.js';
import { isClosed } from './follow-campaign.js';
import { refreshWorker } from './refresh-worker.js';
import { watchToEnd } from './run.js';
import { author } from './author.js';
import { campaignId, withWorkplace } from './workplace.js';

/** `durabench resume CAMPAIGN` */
export const resume: CommandEntry = {
  declare: (program) =>
    program
      .command('resume')
      .description(
        'go on with what was interrupted, paused, planned or not run; nothing that was answered is paid again',
      )
      .argument('[campaign]', 'id, unique beginning of an id, or latest', 'latest')
      .option('--detach', 'return as soon as it runs'),
  action: (session, [wanted = 'latest'], options) =>
    withWorkplace(session, async (place) => {
      const { openEngine } = await import('./open-engine.js');
      const id = await campaignId(place.records, wanted);
      const { engine, close } = await openEngine(session, place.services);
      try {
        const { trials, desiredState, status, epoch, spec } = await place.records.campaign(id);
        const isRunning = await engine.isRunning(id);
        if (isRunning && desiredState !== 'pause') throw running(id);
        const left = trials.planned - trials.done + trials.not_run;
        // Books that are still open are closed by a workflow, also where every trial has ended.
        if (left === 0 && isClosed(status)) throw nothingLeft(id, status, trials.errored);
        await refreshWorker(session, spec);
        if (desiredState !== 'run')
          await place.records.setDesiredState({
            campaignId: id,
            state: 'run',
            author: author(),
            reason: 'durabench resume',
          });
        // A paused campaign's workflow waits at its gate.
        if (isRunning) await engine.wakeUp(id);
        else await engine.start(id);
        session.output.say(
          left === 0
            ? `resumed ${id}: every trial has ended; its result is still to be closed`
            : `resumed ${id}: ${left} of ${trials.planned} trials to run`,
        );
        if (session.output.flags.json && options.detach === true) session.output.jsonLine({ campaign_id: id });
        if (options.detach === true) return EXIT.ok;
        return await watchToEnd(session, place, { id, engine, ...(isRunning ? {} : { epochBefore: epoch }) });
      } finally {
        await close();
      }
    }),
};

function running(id: string): CommandProblem {
  return new CommandProblem({
    what: `campaign ${id} is running; there is nothing to resume`,
    allowed: 'a campaign that was interrupted, paused, cancelled or stopped by its budget',
    remedy: `watch it: durabench status ${id} --watch`,
  });
}

function nothingLeft(id: string, status: string, errored: number): CommandProblem {
  return new CommandProblem({
    what: `campaign ${id} is ${status.replace('_', ' ')} and every trial has ended${errored > 0 ? ` (${errored} errored)` : ''}`,
    allowed: 'a campaign with trials that are planned, interrupted or not run',
    remedy: `see its result: durabench report ${id}`,
  });
}
