import type { BuildAccountRow, CampaignRow } from '../../ports/records.js';
import type { Connection } from '../connection.js';

/** The campaigns of an installation, newest first, and the cost accounts of its dataset builds. */
export async function installationList(
  { records }: Connection,
  limit: number,
  tag?: string,
): Promise<{ campaigns: CampaignRow[]; accounts: BuildAccountRow[] }> {
  return { campaigns: await records.listCampaigns(limit, tag), accounts: await records.buildAccounts() };
}
