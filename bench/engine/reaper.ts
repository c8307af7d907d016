/**
 * How long one pass of the reaper takes to remove what a killed worker left: running, hardened containers, each with a
 * content volume nobody uses any more.
 *
 *   npx tsx bench/engine/reaper.ts [LEFTOVERS]        (default 100)
 *
 * Needs Docker and the base image. Prints one JSON line; a pass that finds nothing is measured beside it.
 */
import { cpus } from 'node:os';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { containerOptions } from '../../src/adapters/docker/sandbox/container-options.js';
import { contentVolume } from '../../src/adapters/docker/volumes/content-volumes.js';
import { markOf } from '../../src/adapters/docker/volumes/filled-volume.js';
import { createImages } from '../../src/adapters/docker/images/images.js';
import { LABEL, ownerLabels } from '../../src/adapters/docker/engine/labels.js';
import { reapLeftovers, type Leftovers } from '../../src/adapters/docker/sandbox/leftovers.js';
import { openDatabase } from '../../src/adapters/postgres/schema/database.js';
import { migrate } from '../../src/adapters/postgres/schema/migrate.js';
import { createRecords } from '../../src/adapters/postgres/records.js';
import { readEnvironment } from '../../src/config/env.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import { DEFAULT_SANDBOX_LIMITS } from '../../src/domain/limits/sandbox-limits.js';
import { deadInstance } from '../../tests/fixtures/docker/dead-instance.js';
import { startStandalonePostgres } from '../../tests/fixtures/postgres/standalone-postgres.js';

const leftovers = Number(process.argv[2] ?? 100);
const docker = connectDocker();
const packageRoot = join(import.meta.dirname, '..', '..');
const postgres = await startStandalonePostgres();
const database = openDatabase({ connectionString: postgres.databaseUrl });
try {
  await migrate(database);
  const records = createRecords(database);
  const labels = ownerLabels(await deadInstance(), await records.installation());
  const images = createImages({
    ...{ docker, packageRoot, cacheFolder: join(packageRoot, '.durabench', 'cache') },
    variable: readEnvironment().variable,
  });
  const imageId = (await images.ensure('base', console.error)).present?.imageId ?? '';
  const make = pLimit(4);
  await Promise.all(Array.from({ length: leftovers }, (_, n) => make(() => leftover(n, imageId, labels))));

  const pass = async (): Promise<{ removed: Leftovers; seconds: number }> => {
    const startedAt = performance.now();
    const request = { docker, leases: records, scratchParents: [], contentIdleSeconds: 0 };
    const removed = await reapLeftovers(request);
    return { removed, seconds: Math.round(performance.now() - startedAt) / 1000 };
  };
  const full = await pass();
  const empty = await pass();
  process.stdout.write(
    `${JSON.stringify({ leftovers, cores: cpus().length, ...full, emptyPassSeconds: empty.seconds })}\n`,
  );

  async function leftover(n: number, imageIdOfAll: string, owner: Record<string, string>): Promise<void> {
    const sha256 = sha256Hex(`reaper bench ${postgres.pid} ${n}`);
    const volume = contentVolume({ sha256, path: '/candidate' });
    await records.noteContentUse({ instance: owner[LABEL.instance] ?? '', volumes: [volume] });
    for (const name of [volume, markOf(volume)])
      await docker.createVolume({ Name: name, Labels: { [LABEL.content]: sha256 } });
    const spec = { imageId: imageIdOfAll, volumes: { '/candidate': volume }, limits: DEFAULT_SANDBOX_LIMITS };
    const container = await docker.createContainer(containerOptions({ ...spec, labels: owner }));
    await container.start();
  }
} finally {
  await database.close();
  await postgres.close();
}
