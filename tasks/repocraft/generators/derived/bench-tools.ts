import type { TreeContext } from '../../candidate/tree-reader.js';
import type { BenchTools } from '../../dataset/gold-bench.js';

/** What a gold bench needs, of a stage: the stage's own sandbox, with its runs under the stage's name. */
export function benchTools(context: TreeContext): BenchTools {
  const { blobs, suiteFolder, signal, sandbox } = context;
  const owner = { campaignId: context.campaign.id, ownerId: context.owner.id };
  const run: BenchTools['sandbox']['run'] = (request) =>
    sandbox.run({ ...request, owner, onProgress: () => context.heartbeat() });
  return { blobs, suiteFolder, signal, sandbox: { ...sandbox, run } };
}
