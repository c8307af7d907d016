import type { BuildAccountRow, BuildUsage } from '../../ports/build-accounts.js';
import type { EventRow } from '../../ports/record-rows.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { Connection } from '../connection.js';

/** What the builds of one dataset version have cost, and what may be spent on them. */
export interface BuildCosts {
  account: BuildAccountRow;
  usage: BuildUsage[];
  /** What was asked of it, oldest first. */
  events: EventRow[];
  /** The page of the build in the Temporal UI, null when no UI is known. */
  temporalUi: string | null;
}

/** The accounts of a suite's builds, newest first. */
export async function buildCosts({ records, names, services }: Connection, suite: string): Promise<BuildCosts[]> {
  const { workflowUrl } = await import('../../stack/services.js');
  const accounts = (await records.buildAccounts()).filter((account) => account.suite === suite);
  return Promise.all(
    accounts.map(async (account) => ({
      account,
      usage: await records.buildUsage(account.id),
      events: await records.buildEvents(account.id),
      temporalUi: workflowUrl(services.temporal, names.dataset(suite, account.version)) ?? null,
    })),
  );
}

/**
 * An account by its id or a unique prefix of it.
 * @throws UserError for none and for several
 */
export async function buildAccountNamed({ records }: Connection, wanted: string): Promise<BuildAccountRow> {
  const accounts = await records.buildAccounts();
  const found = accounts.filter(({ id }) => id.startsWith(wanted));
  const [account] = found.length === 1 ? found : found.filter(({ id }) => id === wanted);
  if (account !== undefined) return account;
  const known = (found.length > 1 ? found : accounts).slice(0, 5).map(({ id }) => id);
  throw new UserError('usage', {
    message:
      found.length > 1
        ? `"${wanted}" is the beginning of several cost accounts`
        : `there is no cost account "${wanted}"`,
    expected: known.join(', ') || 'the account of a dataset build that asked a model',
    fix: '`durabench list` shows all',
  });
}
