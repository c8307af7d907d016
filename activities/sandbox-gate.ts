import pLimit, { type LimitFunction } from 'p-limit';
import type { CampaignSpec } from '../src/contract/campaign.js';
import type { LoosenedLimits } from '../src/contract/sandbox-limits.js';
import type { NestedEngineUse } from '../src/contract/suite.js';
import { DomainFailure } from '../src/domain/failure/domain-failure.js';
import { whyLeft } from '../src/domain/failure/left-waiting.js';
import { checkLimits } from '../src/domain/limits/sandbox-limits.js';
import type { Sandbox, SandboxResult, SandboxRun } from '../src/ports/sandbox.js';

/**
 * The sandbox of one campaign: at most `atOnce` of its runs at the same time, with no limit looser than its suite names, and no engine of its own unless the suite names that;
 * with `isolation`, each in a container of its own.
 */
export type SandboxGate = (campaign: {
  id: string;
  atOnce: number;
  loosened?: LoosenedLimits;
  nestedEngine?: NestedEngineUse;
  isolation?: CampaignSpec['isolation'];
}) => Sandbox;

/**
 * Holds each campaign to its own `concurrency.sandbox` in this worker, on top of the worker's slots. A campaign that is
 * resumed with another number gets it for all its runs.
 */
export function createSandboxGate(sandbox: Sandbox): SandboxGate {
  // A few bytes for each campaign this process ever served: never cleared.
  const limits = new Map<string, LimitFunction>();
  return ({ id, atOnce, loosened, nestedEngine, isolation }) => {
    const limit = limits.get(id) ?? pLimit(atOnce);
    limits.set(id, limit);
    if (limit.concurrency !== atOnce) limit.concurrency = atOnce;
    return {
      run: async (run) => {
        checkLimits(run.limits, loosened);
        checkProfile(run, nestedEngine);
        return inTurn(limit, sandbox, isolation === 'container' ? { ...run, poolKey: null } : run);
      },
      imageDigest: (image) => sandbox.imageDigest(image),
      close: () => sandbox.close(),
    };
  };
}

/** @throws DomainFailure `harness.bug` */
function checkProfile({ engine, image }: SandboxRun, nestedEngine?: NestedEngineUse): void {
  if (engine === undefined || nestedEngine?.image === image) return;
  const named = nestedEngine === undefined ? 'no nestedEngine' : `nestedEngine with the image ${nestedEngine.image}`;
  throw new DomainFailure('harness.bug', `a run in ${image} asks for an engine; the suite's manifest has ${named}`);
}

async function inTurn(limit: LimitFunction, sandbox: Sandbox, run: SandboxRun): Promise<SandboxResult> {
  const { signal } = run;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // Only while it waits: once begun, the sandbox itself ends it and removes the container first.
    const leave = (): void => reject(whyLeft(signal, 'no sandbox of the campaign became free (concurrency.sandbox)'));
    signal.addEventListener('abort', leave, { once: true });
    limit(async () => {
      signal.removeEventListener('abort', leave);
      signal.throwIfAborted();
      return sandbox.run(run);
    }).then(resolve, reject);
  });
}
