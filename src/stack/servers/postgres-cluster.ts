import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverVariables } from '../../config/env.js';
import { canEnter, type PostgresBinaries, type RunAs } from './postgres-binaries.js';
import { UserError } from '../../domain/failure/user-error.js';

/** The role that owns the embedded cluster. */
export const SUPERUSER = 'postgres';
/** Inside the data folder, so that a cluster and its password cannot be lost apart. Readable by its owner only. */
const ACCESS_FILE = 'durabench-access.json';

/** How to reach a cluster: kept in its data folder. */
export interface Access {
  port: number | undefined;
  password: string;
}

/**
 * Creates an empty cluster with a password of its own.
 * @throws UserError when initdb fails, with its last words
 */
export async function createCluster(dataDir: string, binaries: PostgresBinaries, runAs: RunAs): Promise<void> {
  // Made beside and renamed, so that a start killed in the middle leaves no half cluster behind.
  const scratch = `${dataDir}.new`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  const password = randomBytes(24).toString('base64url');
  const passwordFile = join(tmpdir(), `durabench-${randomBytes(8).toString('hex')}`);
  writeFileSync(passwordFile, password, { mode: 0o600, flag: 'wx' });
  try {
    if (runAs.uid !== undefined) for (const path of [scratch, passwordFile]) chownSync(path, runAs.uid, runAs.gid!);
    // Builtin provider: the same order of text on every machine, whatever locales it has.
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = ['-U', SUPERUSER, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const where = ['-D', dataArgument(scratch, runAs)];
    await promisify(execFile)(binaries.initdb, [...where, ...access, ...locale, '--no-sync'], {
      ...runAs,
      cwd: scratch,
      env: serverVariables(),
    });
    writeAccess(scratch, { password, port: undefined }, runAs);
    if (existsSync(dataDir)) rmdirSync(dataDir); // fails unless empty: what is in it is not ours to delete
    renameSync(scratch, dataDir);
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    const parts = {
      message: `The database cluster could not be created in ${dataDir}: ${(stderr || message).trim().split('\n').at(-1)}`,
      expected: 'a local file system with about 60 MB free',
      fix: 'Free space or set DURABENCH_HOME to another folder, or set DATABASE_URL to a Postgres of your own.',
    };
    throw new UserError('environment', parts, { cause: error });
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** @throws UserError when the cluster was written by another major version of Postgres */
export function checkMajor(dataDir: string, binaries: PostgresBinaries): void {
  const major = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
  if (major === binaries.major) return;
  throw new UserError('environment', {
    message: `The records in ${dataDir} were written by Postgres ${major}; this version of Durabench brings Postgres ${binaries.major}.`,
    expected: `a data folder of Postgres ${binaries.major}`,
    fix: `Use the earlier Durabench with these records, or set DURABENCH_HOME to a new folder, or dump and load into a server named by DATABASE_URL.`,
  });
}

/**
 * How the data folder is named to Postgres. A user who may not enter the parents (a clone under /root) still can use
 * the folder it already stands in, and this name leads there without walking the path.
 */
export function dataArgument(dataDir: string, runAs: RunAs): string {
  const isReachable = runAs.uid === undefined || canEnter(join(dataDir, '..'), runAs);
  return isReachable || process.platform !== 'linux' ? dataDir : '/proc/self/cwd';
}

/** Port and password of an existing cluster. */
export function readAccess(dataDir: string): Access {
  return JSON.parse(readFileSync(join(dataDir, ACCESS_FILE), 'utf8')) as Access;
}

/** Replaces port and password of a cluster in one step. */
export function writeAccess(dataDir: string, access: Access, runAs: RunAs): void {
  const file = join(dataDir, ACCESS_FILE);
  writeFileSync(`${file}.new`, JSON.stringify(access), { mode: 0o600 });
  if (runAs.uid !== undefined) chownSync(`${file}.new`, runAs.uid, runAs.gid!);
  renameSync(`${file}.new`, file);
}
