import type { OwnerRef } from '../../contract/stage.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { Connection } from '../connection.js';
import { campaignNamed } from './campaign-named.js';

/** `<task>/<system>/<repeat>`, or a unique prefix of it, in parts → the trial's id. */
export function trialNamed({ records }: Connection, campaign: string, tail: readonly string[]): Promise<string> {
  return oneNamed({ campaign, tail, what: 'trial', idsFrom: (prefix) => records.trialIds(campaign, prefix) });
}

/** The same, or `<system>/<scope>/<repeat>` of a shared candidate's generation. */
export async function trialOrGenerationNamed(
  connection: Connection,
  campaign: string,
  tail: readonly string[],
): Promise<OwnerRef> {
  const { records } = connection;
  const generations = await generationIds(connection, campaign);
  const wanted = [campaign, ...tail].join('/');
  if (generations.includes(wanted)) return { kind: 'generation', id: wanted };
  const what = generations.length === 0 ? 'trial' : 'trial or generation';
  const id = await oneNamed({
    ...{ campaign, tail, what },
    idsFrom: async (prefix) => [...beginningWith(prefix, generations), ...(await records.trialIds(campaign, prefix))],
  });
  return { kind: generations.includes(id) ? 'generation' : 'trial', id };
}

/**
 * `<campaign>/<task>/<system>/<repeat>`, or a unique prefix of it → the trial's id.
 * @throws UserError when none or several match
 */
export async function trialByPath(connection: Connection, path: string): Promise<string> {
  const [head = '', ...tail] = path.split('/');
  return trialNamed(connection, await campaignNamed(connection, head), tail);
}

/** The same for a trial or a generation, whichever is named. */
export async function trialOrGenerationByPath(connection: Connection, path: string): Promise<OwnerRef> {
  const [head = '', ...tail] = path.split('/');
  return trialOrGenerationNamed(connection, await campaignNamed(connection, head), tail);
}

/** The same for `<campaign>/<system>/<scope>/<repeat>`, the generation of a shared candidate. */
export async function generationByPath(connection: Connection, path: string): Promise<string> {
  const [head = '', ...tail] = path.split('/');
  const campaign = await campaignNamed(connection, head);
  const ids = await generationIds(connection, campaign);
  return oneNamed({ campaign, tail, what: 'generation', idsFrom: async (prefix) => beginningWith(prefix, ids) });
}

/** The last generation is as good an example as any, and more so than the first: reference systems are listed first. */
const generationIds = async ({ records }: Connection, campaign: string): Promise<string[]> =>
  (await records.generations(campaign)).map(({ id }) => id).toReversed();

const beginningWith = (prefix: string, ids: readonly string[]): string[] => ids.filter((id) => id.startsWith(prefix));

/** @throws UserError when none or several match */
async function oneNamed({
  campaign,
  tail,
  what,
  idsFrom,
}: {
  campaign: string;
  tail: readonly string[];
  what: string;
  idsFrom: (prefix: string) => Promise<string[]>;
}): Promise<string> {
  const name = tail.join('/');
  const wanted = `${campaign}/${name}`;
  // Whoever names nothing means none, also where there is but one.
  const matching = name === '' ? [] : await idsFrom(wanted);
  if (matching.includes(wanted)) return wanted;
  const [found] = matching;
  if (found !== undefined && matching.length === 1) return found;
  const known = matching.length === 0 ? await idsFrom(`${campaign}/`) : matching;
  throw new UserError('usage', {
    message: problemWith(campaign, name, what, matching.length),
    expected: known.slice(0, 3).join(', '),
    fix: `\`durabench show ${campaign}\` lists all trials`,
  });
}

function problemWith(campaign: string, name: string, what: string, matching: number): string {
  if (name === '') return `${campaign} is a campaign, and no ${what} of it is named`;
  if (matching === 0) return `campaign ${campaign} has no ${what} ${name}`;
  return `${name} is the beginning of ${matching} ${what.replaceAll(/\b(trial|generation)\b/g, '$1s')}`;
}
