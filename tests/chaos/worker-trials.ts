import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { TemporalNames } from '../../src/domain/campaign/temporal-names.js';
import { DEFAULT_NAMESPACE } from '../../src/stack/servers/namespace.js';

/** Given to a worker, and without an end. */
const STARTED = proto.temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED;

/**
 * Trials with a step under way in one of these worker instances, as Temporal's server sees it: of a killed one until it
 * misses its heartbeats, so ask at once. Those whose step was given to another worker meanwhile are not among them.
 */
export async function trialsOfWorkers(
  temporalPort: number,
  { names, trials, instances }: { names: TemporalNames; trials: readonly string[]; instances: readonly string[] },
): Promise<string[]> {
  const connection = await Connection.connect({ address: `127.0.0.1:${temporalPort}` });
  try {
    const { workflow } = new Client({ connection, namespace: DEFAULT_NAMESPACE });
    const had = await Promise.all(
      trials.map(async (id) => {
        const { raw } = await workflow.getHandle(names.trial(id)).describe();
        return (raw.pendingActivities ?? []).some(
          ({ state, lastWorkerIdentity }) => state === STARTED && instances.includes(lastWorkerIdentity ?? ''),
        );
      }),
    );
    return trials.filter((_, index) => had[index]);
  } finally {
    await connection.close();
  }
}
