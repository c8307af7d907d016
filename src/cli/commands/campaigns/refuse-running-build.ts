import type { CampaignSpec } from '../../../contract/campaign.js';
import type { CampaignRow } from '../../../ports/records.js';
import { bookedBuild } from '../../../report/report-subject.js';
import { suiteNamed } from '../../../suite/registry.js';
import { wordsOf } from '../datasets/describing.js';
import { openBuilds } from '../../../client/datasets/open-builds.js';
import type { Session } from '../../session.js';
import type { Connection } from '../../../client/connection.js';
import { UserError } from '../../../domain/failure/user-error.js';

/**
 * Books are closed by the build that writes into them. Were they opened for anybody else, it would lose them in the middle
 * and blame another server.
 * @throws UserError while the build runs
 */
export async function refuseRunningBuild(
  session: Session,
  place: Connection,
  campaign: CampaignRow & { spec: CampaignSpec },
): Promise<void> {
  const build = bookedBuild(place.names, await suiteNamed(campaign.suite), campaign);
  if (build === null) return;
  const { builds, close } = await openBuilds(session, place, build);
  try {
    if ((await builds.last())?.isRunning !== true) return;
  } finally {
    await close();
  }
  throw new UserError('usage', {
    message: `campaign ${campaign.id} holds the books of a dataset build, which is running`,
    expected: 'a campaign of trials, or books whose build has ended',
    fix: `end the build, which closes its books: durabench dataset cancel ${campaign.suite} ${wordsOf(campaign.spec)}`,
  });
}
