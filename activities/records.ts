import { dollars, grouped } from '../src/domain/text/amount-text.js';
import type { CampaignRow, Records } from '../src/ports/records.js';
import type { ActivityDependencies } from './dependencies.js';
import { toApplicationFailure } from './failures.js';

type Named =
  | 'limitTrials'
  | 'batchPage'
  | 'closeCampaign'
  | 'claimBatch'
  | 'closeBatch'
  | 'claimGeneration'
  | 'admitGeneration'
  | 'claimTrial'
  | 'admitTrial'
  | 'openBuildAccount';

/** The record activities: local, one short transaction each. */
export type RecordActivities = Pick<Records, Named> & {
  /** `details`: totals as Markdown for the UI, which has something to show from the first second. */
  openCampaign(campaignId: string): Promise<Awaited<ReturnType<Records['openCampaign']>> & { details: string }>;
  /** Trial ids without the campaign's id in front: fifty whole ids could be more than an event may hold. */
  trialPage(input: Parameters<Records['trialPage']>[0]): Promise<string[]>;
  /** Closes a generation; answers what it cost, for the UI. */
  closeGeneration(input: Parameters<Records['closeGeneration']>[0]): Promise<{ costUsd: number }>;
  /** Closes a trial; answers what it cost, for the UI. */
  closeTrial(input: Parameters<Records['closeTrial']>[0]): Promise<{ costUsd: number }>;
  /** Closes the account of a build; answers what it has cost, for the UI. */
  closeBuildAccount(input: Parameters<Records['closeBuildAccount']>[0]): Promise<{ costUsd: number }>;
  /** A campaign's totals as Markdown for the UI. */
  campaignDetails(campaignId: string): Promise<{ details: string; suite: string; costUsd: number }>;
};

/** The record port as local activities: errors in Temporal's terms, results small enough for a history. */
export function createRecordActivities({
  records,
  server,
  code,
}: Pick<ActivityDependencies, 'records' | 'server' | 'code'>): RecordActivities {
  return {
    openCampaign: (campaignId) =>
      mapped(async () => {
        const opened = await records.openCampaign(campaignId, await server(), code);
        return { ...opened, details: campaignMarkdown(await records.campaign(campaignId)) };
      }),
    limitTrials: (input) => mapped(() => records.limitTrials(input)),
    batchPage: (input) => mapped(() => records.batchPage(input)),
    closeCampaign: (input) => mapped(() => records.closeCampaign(input)),
    claimBatch: (input) => mapped(() => records.claimBatch(input)),
    trialPage: (input) =>
      mapped(async () => {
        const ids = await records.trialPage(input);
        return ids.map((id) => id.slice(id.indexOf('/') + 1));
      }),
    closeBatch: (input) => mapped(() => records.closeBatch(input)),
    claimGeneration: (input) => mapped(() => records.claimGeneration(input)),
    admitGeneration: (input) => mapped(() => records.admitGeneration(input)),
    closeGeneration: (input) =>
      mapped(async () => {
        await records.closeGeneration(input);
        const { microUsd } = await records.ownerCost({ kind: 'generation', id: input.generationId });
        return { costUsd: microUsd / 1e6 };
      }),
    claimTrial: (input) => mapped(() => records.claimTrial(input)),
    admitTrial: (input) => mapped(() => records.admitTrial(input)),
    closeTrial: (input) =>
      mapped(async () => {
        await records.closeTrial(input);
        const { microUsd } = await records.ownerCost({ kind: 'trial', id: input.trialId });
        return { costUsd: microUsd / 1e6 };
      }),
    openBuildAccount: (accountId) => mapped(() => records.openBuildAccount(accountId)),
    closeBuildAccount: (input) =>
      mapped(async () => ({ costUsd: (await records.closeBuildAccount(input)).microUsd / 1e6 })),
    campaignDetails: (campaignId) =>
      mapped(async () => {
        const row = await records.campaign(campaignId);
        return { details: campaignMarkdown(row), suite: row.suite, costUsd: row.spend.microUsd / 1e6 };
      }),
  };
}

async function mapped<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toApplicationFailure(error);
  }
}

/** A list: the cells of a table run together in the Temporal UI. */
export function campaignMarkdown({
  id,
  status,
  trials,
  spend,
}: Pick<CampaignRow, 'id' | 'status' | 'trials' | 'spend'>): string {
  const { done, planned, passed, failed, errored, not_run: notRun } = trials;
  return [
    `**${id}**: ${status.replace('_', ' ')}`,
    '',
    `- ${grouped(done)} of ${grouped(planned)} trials done`,
    `- ${grouped(passed)} passed, ${grouped(failed)} failed, ${grouped(errored)} errored, ${grouped(notRun)} not run`,
    `- ${dollars(spend.microUsd / 1e6)}, ${grouped(spend.tokens)} tokens, ${grouped(spend.calls)} calls`,
    `- as it is now: \`durabench status ${id} --watch\``,
  ].join('\n');
}
