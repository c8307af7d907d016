import { join } from 'node:path';
import type { Problem } from '../../contract/problem.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { Context } from '../context.js';
import { withInstaller, type Finding } from './finding.js';
import type { Host } from './host.js';
import { machineChecks } from './machine-checks.js';
import { MACHINE_ENGINE, startEngine } from './start-engine.js';

/** Packages of Debian and Ubuntu. Where no registry answers containers seldom reach a package index: pip runs here then. */
const PACKAGES = {
  engine: ['docker.io', 'iptables'],
  bootstrapper: ['mmdebstrap', 'python3', 'python3-pip'],
} as const;
/** The engine that was installed may reach less than this machine does: then a second pass brings the bootstrapper. */
const PASSES = 2;

/** How what is missing is installed. */
export interface Installing {
  host: Host;
  /** Asked once with all that would be run, before anything is. */
  mayRun: (commands: readonly string[]) => Promise<boolean>;
}

/**
 * Looks at what campaigns need of this machine, before anything is started.
 * @param installing null: what is missing is only told
 * @throws UserError with everything that is missing, each with its fix
 */
export async function readyMachine(context: Context, installing: Installing | null): Promise<void> {
  for (let pass = 0; ; pass += 1) {
    const missing = (await machineChecks(context)).filter(({ state }) => state === 'missing');
    if (missing.length === 0) return;
    if (installing === null) throw lacking(missing.map(withInstaller));
    if (pass === PASSES) throw lacking(missing);
    await installMissing(context, missing, installing);
  }
}

/**
 * Installs and starts it, telling each command.
 * @throws UserError where it cannot or may not be installed; then nothing was changed
 */
export async function installMissing(
  context: Context,
  missing: readonly Finding[],
  { host, mayRun }: Installing,
): Promise<void> {
  const why = await whyNotHere(host, missing);
  if (why !== null) throw lacking(missing, why);
  const commands = commandsFor(host, missing);
  const lines = commands.map((command) => command.join(' '));
  const startsEngine = missing.some(({ installable }) => installable === 'engine');
  const start = engineCommand(host);
  const said = startsEngine ? [...lines, start.join(' ')] : lines;
  if (!(await mayRun(said))) throw lacking(missing, 'it was refused (--yes installs without asking)');
  for (const command of commands) await runOrFail(context, host, command, missing);
  if (startsEngine) await startDocker(context, host, start);
}

/** Why nothing can be installed on this machine; null where everything can. */
async function whyNotHere(host: Host, missing: readonly Finding[]): Promise<string | null> {
  const others = missing.filter(({ installable }) => installable === undefined).map(({ name }) => name);
  if (others.length > 0) return `${others.join(' and ')}: no package brings that`;
  const distribution = await host.distribution();
  const isDebian = ['debian', 'ubuntu'].some((name) => distribution.includes(name));
  if (!isDebian) return `--install knows Debian and Ubuntu, this is ${distribution[0] ?? 'another system'}`;
  if (!host.has('apt-get')) return 'apt-get is not on the PATH';
  return host.isRoot || host.has('sudo') ? null : '--install needs root, or sudo';
}

function commandsFor(host: Host, missing: readonly Finding[]): string[][] {
  const isNeeded = (kind: Finding['installable']): boolean => missing.some(({ installable }) => installable === kind);
  const packages = [
    ...(isNeeded('engine') && !host.has('dockerd') ? PACKAGES.engine : []),
    ...(isNeeded('bootstrapper') ? PACKAGES.bootstrapper : []),
  ];
  if (packages.length === 0) return [];
  const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages];
  return [['apt-get', 'update'], install].map((command) => asRoot(host, command));
}

const engineCommand = (host: Host): string[] =>
  asRoot(host, host.hasServiceManager ? ['systemctl', 'enable', '--now', 'docker'] : [...MACHINE_ENGINE.command]);

/** The question of the package manager is answered by the yes that was given before. */
const asRoot = (host: Host, command: readonly string[]): string[] => [...(host.isRoot ? [] : ['sudo']), ...command];

async function runOrFail(
  context: Context,
  host: Host,
  command: readonly string[],
  missing: readonly Finding[],
): Promise<void> {
  context.notify({ type: 'step', step: 'install', message: command.join(' ') });
  const { code, tail } = await host.run(command);
  if (code === 0) return;
  const message = `\`${command.join(' ')}\` ended with ${code ?? 'no status'}: ${tail.slice(-500)}`;
  throw new UserError('environment', [
    ...lacking(missing).problems,
    { message, fix: 'let apt-get reach a Debian mirror' },
  ]);
}

async function startDocker(context: Context, host: Host, command: readonly string[]): Promise<void> {
  context.notify({ type: 'step', step: 'install', message: command.join(' ') });
  const { connectDocker } = await import('../../adapters/docker/engine/connect-docker.js');
  const answers = (): Promise<boolean> =>
    connectDocker()
      .ping()
      .then(
        () => true,
        () => false,
      );
  const why = host.hasServiceManager
    ? await failureOf(host, command)
    : await startEngine(host, {
        ...{ command, answers, pidFiles: MACHINE_ENGINE.pidFiles },
        logFile: join(context.environment().stateDir, 'dockerd.log'),
      });
  if (why === null) return;
  throw new UserError('environment', {
    message: `Docker was installed and does not start: ${why}`,
    fix: command.join(' '),
  });
}

async function failureOf(host: Host, command: readonly string[]): Promise<string | null> {
  const { code, tail } = await host.run(command);
  return code === 0 ? null : tail.slice(-500);
}

/** Everything that is missing, a problem each. @param why nothing was installed */
function lacking(missing: readonly Finding[], why?: string): UserError {
  const problems = missing.map(({ name, detail, fix }): Problem => ({
    message: `${name} ${detail}`,
    ...(fix && { fix }),
  }));
  return new UserError('environment', [
    ...problems,
    ...(why === undefined ? [] : [{ message: `nothing was installed: ${why}` }]),
  ]);
}
