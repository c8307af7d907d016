import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DomainFailure, type SandboxResult, type StageFunction } from 'durabench/suite';
import { z } from 'zod';
import type { Executed } from './results.js';
import { pinnedTask } from './tasks.js';

/** Far more than a pattern needs that does not run away. */
const LIMITS = { cpuSeconds: 5, wallSeconds: 60, memoryBytes: 256 * 1024 * 1024 };

const printedSchema = z.union([
  z.strictObject({ invalid: z.string() }),
  z.strictObject({ matches: z.array(z.boolean()) }),
]);

/**
 * Matches every text of the task in the sandbox: a pattern that a model wrote may take for ever, and nothing in this process
 * could stop it.
 */
export const execute: StageFunction = async (context) => {
  const { pattern } = context.input as { pattern: string };
  const { match, reject } = await pinnedTask(context);
  const given = { pattern: (await context.blobs.get(pattern)).toString('utf8'), texts: [...match, ...reject] };
  const run = await context.sandbox.run({
    image: 'base',
    command: ['python3', 'match.py'],
    files: { 'match.py': await readFile(join(context.suiteFolder, 'python', 'match.py')) },
    stdin: JSON.stringify(given),
    mounts: [],
    limits: LIMITS,
    poolKey: null,
    owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
    signal: context.signal,
    onProgress: () => context.heartbeat(),
  });
  await context.attach(run.stdout.bytes, { name: 'matches.json', mediaType: 'application/json' });
  return { result: outcomeOf(run, match.length) };
};

/** @param wanted how many of the texts, the first ones, must match */
function outcomeOf(run: SandboxResult, wanted: number): Executed {
  if (run.timedOut) return { ended: 'timed-out' };
  if (run.outOfMemory) return { ended: 'out-of-memory' };
  // What is no result of the benchmark is thrown: the trial ends as errored, outside the denominator.
  if (run.exitCode !== 0)
    throw new DomainFailure('harness.bug', `match.py ended with ${run.exitCode}: ${String(run.stderr.bytes)}`);
  const printed = printedSchema.parse(JSON.parse(String(run.stdout.bytes)));
  if ('invalid' in printed) return { ended: 'invalid' };
  const [matching, others] = [printed.matches.slice(0, wanted), printed.matches.slice(wanted)];
  const missed = matching.filter((isMatch) => !isMatch).length;
  return { ended: 'decided', missed, overmatched: others.filter(Boolean).length };
}
