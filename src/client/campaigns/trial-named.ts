import type { Connection } from '../connection.js';
import { UserError } from '../../domain/failure/user-error.js';

/** `<task>/<system>/<repeat>`, or its unique beginning, in parts → the trial's id. */
export async function trialNamed(place: Connection, campaign: string, tail: readonly string[]): Promise<string> {
  return oneNamed(await trialsOf(place, campaign), { campaign, tail, what: 'trial' });
}

/** The same, or `<system>/<scope>/<repeat>` of a shared candidate's generation. */
export async function trialOrGenerationNamed(
  place: Connection,
  campaign: string,
  tail: readonly string[],
): Promise<{ kind: 'trial' | 'generation'; id: string }> {
  const generations = (await place.records.generations(campaign)).map(({ id }) => id);
  const wanted = [campaign, ...tail].join('/');
  if (generations.includes(wanted)) return { kind: 'generation', id: wanted };
  const what = generations.length === 0 ? 'trial' : 'trial or generation';
  // The last generation is as good an example as any, and more so than the first: reference systems are listed first.
  const ids = [...generations.toReversed(), ...(await trialsOf(place, campaign))];
  const id = oneNamed(ids, { campaign, tail, what });
  return { kind: generations.includes(id) ? 'generation' : 'trial', id };
}

const trialsOf = async ({ records }: Connection, campaign: string): Promise<string[]> =>
  (await records.trials(campaign)).map(({ id }) => id);

/** @throws UserError when none or several match */
function oneNamed(
  ids: readonly string[],
  { campaign, tail, what }: { campaign: string; tail: readonly string[]; what: string },
): string {
  const name = tail.join('/');
  const given = name || 'named ""';
  const wanted = [campaign, ...tail].join('/');
  // Whoever names nothing means none, also where there is but one.
  const matching = ids.includes(wanted) ? [wanted] : ids.filter((id) => name !== '' && id.startsWith(wanted));
  const [found] = matching;
  if (found !== undefined && matching.length === 1) return found;
  throw new UserError('usage', {
    message:
      matching.length === 0
        ? `campaign ${campaign} has no ${what} ${given}`
        : `${given} is the beginning of ${matching.length} ${what.replaceAll(/\b(trial|generation)\b/g, '$1s')}`,
    expected: (matching.length === 0 ? ids : matching).slice(0, 3).join(', '),
    fix: `durabench show ${campaign} lists all trials`,
  });
}
