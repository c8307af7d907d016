import { isAccountId, suiteOfAccount } from '../../domain/campaign/ids.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { Connection } from '../connection.js';

/**
 * `latest`, an id or a unique prefix of one → the campaign's id.
 * @throws UserError when none or several match
 */
export async function campaignNamed({ records }: Pick<Connection, 'records'>, wanted: string): Promise<string> {
  // Nothing is the beginning of every id: a variable of a script that is not set must not cancel the only campaign.
  const id = wanted === '' ? null : await records.resolveCampaign(wanted);
  if (id !== null) return id;
  if (isAccountId(wanted)) throw notACampaign(wanted);
  const known = (await records.listCampaigns(20)).map((campaign) => campaign.id);
  const matching = wanted === '' ? [] : known.filter((each) => each.startsWith(wanted));
  throw new UserError('usage', {
    message:
      matching.length > 1
        ? `"${wanted}" is the beginning of several campaigns`
        : wanted === 'latest'
          ? 'there is no campaign yet'
          : `there is no campaign "${wanted}"`,
    expected:
      (matching.length > 1 ? matching : known).slice(0, 5).join(', ') ||
      'a campaign that was started with `durabench run`',
    fix: known.length === 0 ? 'durabench run FILE' : 'give more of the id, or `latest`; `durabench list` shows all',
  });
}

function notACampaign(id: string): UserError {
  return new UserError('usage', {
    message: `"${id}" is the cost account of a dataset build, not a campaign`,
    expected:
      'a campaign; a build is ended with `durabench dataset cancel`, and goes on with the same `durabench dataset build`',
    fix: `its costs: durabench dataset costs ${suiteOfAccount(id)}; its limit: durabench budget ${id}`,
  });
}
