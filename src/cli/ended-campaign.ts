import { CommandProblem } from './command-problem.js';

/** What a verb says that only a campaign with open books can be asked. */
export function endedCampaign(id: string, status: string): CommandProblem {
  return new CommandProblem({
    what: `campaign ${id} has ended: ${status.replace('_', ' ')}`,
    allowed: 'a campaign that is planned, running or paused',
    remedy: `see its result: durabench report ${id}`,
  });
}
