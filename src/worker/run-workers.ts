import type { Worker } from '@temporalio/worker';

/**
 * Runs workers until they were told to stop; `announce` is called once they poll. A worker that fails at once is heard
 * at once, whatever the announcement waits for.
 */
export async function runWorkers(
  workers: readonly Pick<Worker, 'run'>[],
  announce: () => Promise<void>,
): Promise<void> {
  await Promise.all([...workers.map((worker) => worker.run()), announce()]);
}
