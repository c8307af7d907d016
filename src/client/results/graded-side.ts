import type { CampaignLock, CampaignSpec } from '../../contract/campaign.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { CampaignRow, TaskOutcome } from '../../ports/records.js';
import { campaignNamed } from '../campaigns/campaign-named.js';
import { isClosed } from '../campaigns/is-closed.js';
import type { ResultColumn } from '../../suite/report.js';
import type { Connection } from '../connection.js';

type Campaign = CampaignRow & { spec: CampaignSpec; lock: CampaignLock };

/** A campaign that has ended, of which one system may be meant. */
export interface GradedSide {
  campaign: Campaign;
  /** Null: all of them. */
  system: string | null;
  outcomes: readonly TaskOutcome[];
  /** The suite's own. */
  columns: readonly ResultColumn[];
}

/**
 * @param wanted `CAMPAIGN`, or `CAMPAIGN/SYSTEM`
 * @throws UserError for one that has not ended, whose lock does not say what its tasks were, and for an unknown system
 */
export async function gradedSide(connection: Connection, wanted: string): Promise<GradedSide> {
  const [head = '', ...tail] = wanted.split('/');
  const id = await campaignNamed(connection, head);
  const campaign = await asGraded(connection, await connection.records.campaign(id));
  if (!isClosed(campaign.status)) throw stillOpen(campaign);
  const system = tail.length === 0 ? null : systemNamed(campaign, tail.join('/'));
  const { resultColumns: columns } = await connection.suiteNamed(campaign.suite);
  const outcomes = await connection.records.taskOutcomes(
    id,
    columns.map(({ metric }) => metric),
  );
  const { lock } = campaign;
  const isOld = [lock.graderDigest, lock.suiteVersion, lock.datasetDigest].some(
    (part: unknown) => typeof part !== 'string',
  );
  if (isOld || outcomes.some(({ sha256 }) => sha256 === null)) throw ofOldFormat(id);
  return { campaign, system, outcomes, columns };
}

/** Of one that was regraded the lock names the grader of that. */
async function asGraded({ records }: Connection, campaign: Campaign): Promise<Campaign> {
  const grader = (await records.events(campaign.id)).findLast(({ action }) => action === 'regrade')?.details['grader'];
  return typeof grader === 'string' ? { ...campaign, lock: { ...campaign.lock, graderDigest: grader } } : campaign;
}

function systemNamed({ id, spec }: Campaign, wanted: string): string {
  const known = spec.systems.map((system) => system.id);
  const matching = known.includes(wanted) ? [wanted] : known.filter((each) => wanted !== '' && each.startsWith(wanted));
  if (matching.length === 1) return matching[0]!;
  throw new UserError('usage', {
    message:
      matching.length > 1
        ? `"${wanted}" is the beginning of several systems of ${id}`
        : `campaign ${id} has no system "${wanted}"`,
    expected: (matching.length > 1 ? matching : known).join(', '),
    fix: `name it as ${id}/${known[0] ?? 'SYSTEM'}`,
  });
}

/**
 * The same of one system: the one that is named, else `usual`, else the only one.
 * @throws UserError as above, and where several are meant
 */
export async function gradedSystem(
  connection: Connection,
  wanted: string,
  usual?: string,
): Promise<{ campaign: Campaign; system: string; outcomes: TaskOutcome[] }> {
  const { campaign, system: named, outcomes } = await gradedSide(connection, wanted);
  const known = campaign.spec.systems.map(({ id }) => id);
  const [only] = known.length === 1 ? known : known.filter((id) => id === usual);
  const system = named ?? only;
  if (system === undefined)
    throw new UserError('usage', {
      message: `${campaign.id} has ${known.length} systems, and none is named`,
      expected: known.join(', '),
      fix: `name it as ${campaign.id}/${known[0] ?? 'SYSTEM'}`,
    });
  return { campaign, system, outcomes: outcomes.filter(({ systemId }) => systemId === system) };
}

function stillOpen({ id, status }: Campaign): UserError {
  return new UserError('usage', {
    message: `campaign ${id} has not ended: it is ${status.replace('_', ' ')}`,
    expected: 'campaigns that have ended',
    fix: `wait for it: durabench status ${id} --watch; or end it: durabench cancel ${id}`,
  });
}

function ofOldFormat(id: string): UserError {
  return new UserError('usage', {
    message: `campaign ${id} was planned by an older Durabench: its lock does not say what its tasks and grader were`,
    expected: 'a campaign whose lock holds hashes of tasks and grader',
    fix: 'run it again: durabench run FILE',
  });
}
