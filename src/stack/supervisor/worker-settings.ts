import { createHmac } from 'node:crypto';
import type { Environment } from '../../config/env.js';
import { readSuitePackages } from '../../config/suite-packages.js';
import { packageDigest } from '../code-digest.js';
import { DOWNLOAD_NAMES } from '../../domain/program-variables.js';

const GIB = 1024 ** 3;
const MACHINE = 'as the machine allows';

/** Says that what follows is the value itself, no digest of one. */
const PLAIN = '=';

/** What differs between the worker that runs and one that would be started now. */
export interface SettingChange {
  /** Of the variable. */
  name: string;
  /** The values in effect; null where they may be secret, or were not written down. */
  values: { before: string; now: string } | null;
}

/**
 * Everything a worker takes from its environment but servers and model keys, by variable: the value in effect of our own
 * settings, none of which is a secret, and salted digests of the rest (a proxy may carry a password).
 */
export function workerSettings(environment: Environment, salt: string): Record<string, string> {
  const { variable } = environment;
  const own = Object.entries(ownSettings(environment)).map(([name, value]) => [name, `${PLAIN}${value}`]);
  const others = [...OTHERS, ...(environment.temporal ? TEMPORAL : [])];
  const digests = others.map((name) => [name, digest(variable(name) ?? '', salt)]);
  return Object.fromEntries([...own, ...digests]) as Record<string, string>;
}

/** Compares what was written down at the start of the worker with what holds now. */
export function settingChanges(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): SettingChange[] {
  const changed = Object.keys(now).filter((name) => before[name] !== now[name]);
  return changed.map((name) => {
    const [was = '', is = ''] = [before[name], now[name]];
    const isPlain = was.startsWith(PLAIN) && is.startsWith(PLAIN);
    return { name, values: isPlain ? { before: was.slice(1), now: is.slice(1) } : null };
  });
}

/** As `DURABENCH_MIN_FREE_GIB 2 → 5`; without values, that it is another one. */
export function changeText({ name, values }: SettingChange): string {
  return values === null ? `${name} is another one` : `${name} ${values.before} → ${values.now}`;
}

/** Not the value, and not to be found in a table of likely ones. */
export function digest(text: string, salt: string): string {
  return createHmac('sha256', salt).update(text).digest('hex').slice(0, 16);
}

function ownSettings(environment: Environment): Record<string, string> {
  const { variable, minimumFreeBytes, logLevel, blobsDir, cacheDir, temporal, temporalUi } = environment;
  const slots = ['LIGHT', 'MODEL', 'SANDBOX'].map((role) => `DURABENCH_${role}_SLOTS`);
  return {
    DURABENCH_MIN_FREE_GIB: String(minimumFreeBytes / GIB),
    DURABENCH_LOG_LEVEL: logLevel,
    DURABENCH_BLOBS: blobsDir,
    DURABENCH_CACHE: cacheDir,
    DURABENCH_SUITES: suitesInWords(environment),
    ...(temporal && { DURABENCH_TEMPORAL_UI: temporalUi ?? 'none' }),
    ...Object.fromEntries(slots.map((name) => [name, variable(name) ?? MACHINE])),
  };
}

/** The packages it loads suites from, whether the variable or package.json names them; the worker tells what is wrong. */
function suitesInWords(environment: Environment): string {
  const { packages, problems } = readSuitePackages(environment);
  const loaded = packages.map((each) => `${each.name}@${each.version} (${packageDigest(each).slice(0, 8)})`);
  return [...loaded, ...problems.map(({ message }) => message)].join(', ') || 'none';
}

/** Of a server of somebody else; towards the stack's own they say nothing. */
const TEMPORAL = [
  ...['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'],
  ...['TEMPORAL_TLS', 'TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'],
  ...['TEMPORAL_TLS_SERVER_CA_CERT_PATH', 'TEMPORAL_TLS_SERVER_NAME'],
];

/** Where Docker is, how this machine downloads, and what Node takes for its own. */
const OTHERS = [...['DOCKER_HOST', 'DOCKER_TLS_VERIFY', 'DOCKER_CERT_PATH', 'NODE_OPTIONS'], ...DOWNLOAD_NAMES];
