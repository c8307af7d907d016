import type { Database } from '../../adapters/postgres/schema/database.js';
import { spentAmounts, usedText } from '../../report/text/budget-text.js';
import type { TemporalServer } from '../../stack/services.js';
import type { StackStatus } from '../../stack/stack-status.js';
import type { Finding } from './finding.js';
import { limitText } from '../../report/text/in-flight-text.js';
import type { Context } from '../context.js';

const TEMPORAL_DEADLINE_MS = 2_000;
const LOOK_AT_LOG = 'durabench up, or see its log in the state folder';

/** Postgres with its schema, Temporal and the supervised worker; only that there is no stack where none was started. */
export async function stackChecks(context: Context): Promise<Finding[]> {
  const environment = context.environment();
  const [{ stackStatus }, { resolveServices }] = await Promise.all([
    import('../../stack/stack-status.js'),
    import('../../stack/services.js'),
  ]);
  const status = stackStatus(environment.stateDir);
  const isExternal = environment.databaseUrl !== undefined && environment.temporal !== undefined;
  if (!status.isUp && !isExternal)
    return [{ name: 'stack', state: 'later', detail: 'not running', fix: 'durabench up' }];
  const { databaseUrl, temporal } = resolveServices(environment);
  const [records, server] = await Promise.all([postgres(databaseUrl), temporalServer(temporal)]);
  const { whyWorkerOutdated } = await import('../../stack/stack.js');
  return [...records, server, worker(status, whyWorkerOutdated({ environment }))];
}

async function postgres(databaseUrl: string): Promise<Finding[]> {
  const [{ databaseFailure }, { openDatabase }, { schemaProblem }] = await Promise.all([
    import('../../stack/servers/postgres.js'),
    import('../../adapters/postgres/schema/database.js'),
    import('../../adapters/postgres/schema/migrate.js'),
  ]);
  const name = 'Postgres';
  const failure = await databaseFailure(databaseUrl);
  if (failure !== undefined) return [{ name, state: 'missing', detail: failure, fix: LOOK_AT_LOG }];
  const database = openDatabase({ connectionString: databaseUrl, maxConnections: 1 });
  try {
    const problem = await schemaProblem(database);
    if (problem !== undefined) return [{ name, state: 'missing', detail: problem.message, fix: problem.fix ?? null }];
    const { hostname, port } = new URL(databaseUrl);
    const found: Finding = { name, state: 'ok', detail: `${hostname}:${port || '5432'}`, fix: null };
    // A schema that the next command brings up to date may not know of it yet.
    return [found, ...(await installationBudget(database).catch(() => []))];
  } finally {
    await database.close();
  }
}

/** The operator's limit over all campaigns: where it is reached, none of them pays another call. */
async function installationBudget(database: Database): Promise<Finding[]> {
  const { createRecords } = await import('../../adapters/postgres/records.js');
  const { budget, spent } = await createRecords(database).installationBudget();
  const used = spentAmounts(spent ?? { microUsd: 0, tokens: 0 });
  const detail = usedText(budget, used);
  const isReached = (['usd', 'tokens'] as const).some((name) => used[name] >= (budget[name] ?? Infinity));
  const fix = isReached ? 'durabench budget --installation --usd N' : null;
  return [{ name: 'budget of all campaigns', state: isReached ? 'later' : 'ok', detail: detail ?? 'not limited', fix }];
}

async function temporalServer(server: TemporalServer): Promise<Finding> {
  const { connectTemporal } = await import('../../stack/servers/connect.js');
  const name = 'Temporal';
  try {
    const connection = await connectTemporal(server, { deadlineMs: TEMPORAL_DEADLINE_MS });
    await connection.close();
    const page = server.uiUrl === undefined ? '' : `, Web UI ${server.uiUrl}`;
    return { name, state: 'ok', detail: `${server.address}${page}`, fix: null };
  } catch (error) {
    return { name, state: 'missing', detail: (error as Error).message.split('\n')[0] ?? '', fix: LOOK_AT_LOG };
  }
}

function worker({ services, workerLimits }: StackStatus, outdated: readonly string[]): Finding {
  const found = services.find((service) => service.name === 'worker');
  const changed = `pid ${found?.pid}, started with other settings: ${outdated.join('; ')}`;
  if (found?.status === 'up' && outdated.length > 0)
    return { name: 'worker', state: 'later', detail: changed, fix: 'durabench up' };
  const can = workerLimits === null ? '' : `, ${limitText(workerLimits)}`;
  if (found?.status === 'up') return { name: 'worker', state: 'ok', detail: `pid ${found.pid}${can}`, fix: null };
  const fix = 'durabench up, or durabench worker';
  return { name: 'worker', state: 'later', detail: 'no supervised worker', fix };
}
