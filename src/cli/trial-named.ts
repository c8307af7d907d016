import { CommandProblem } from './command-problem.js';
import type { Workplace } from './workplace.js';

/** `<task>/<system>/<repeat>`, or its unique beginning, in parts → the trial's id. */
export async function trialNamed(place: Workplace, campaign: string, tail: readonly string[]): Promise<string> {
  const given = tail.join('/') || 'named ""';
  const wanted = [campaign, ...tail].join('/');
  const ids = (await place.records.trials(campaign)).map((trial) => trial.id);
  const matching = ids.includes(wanted) ? [wanted] : ids.filter((id) => id.startsWith(wanted));
  if (matching.length === 1) return matching[0]!;
  throw new CommandProblem({
    what:
      matching.length === 0
        ? `campaign ${campaign} has no trial ${given}`
        : `${given} is the beginning of ${matching.length} trials`,
    allowed: (matching.length === 0 ? ids : matching).slice(0, 3).join(', '),
    remedy: `durabench show ${campaign} lists all trials`,
  });
}
