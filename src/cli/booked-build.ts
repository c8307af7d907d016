import type { CampaignSpec } from '../contract/campaign.js';
import { holdsBooks } from '../domain/build-books.js';
import { workflowId } from '../domain/ids.js';
import type { CampaignRow } from '../ports/records.js';
import type { Suite } from '../ports/suite.js';

/** Id of the workflow whose model calls a campaign holds the books of; null for a campaign of trials. */
export function bookedBuild(
  { manifest, dataset }: Suite,
  campaign: CampaignRow & { spec: CampaignSpec },
): string | null {
  const version = dataset.build?.describing?.version(campaign.spec.models.author?.name ?? '');
  return version !== undefined && holdsBooks(campaign) ? workflowId.dataset(manifest.id, version) : null;
}
