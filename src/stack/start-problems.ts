import type { Environment } from '../config/env.js';
import { readSlotVariables } from '../config/slot-variables.js';
import { lastLines } from './supervisor/child-log.js';
import { readStackState, stackPaths, type ServiceName } from './stack-state.js';
import { UserError } from '../domain/failure/user-error.js';

/** A member that does not come up, with the end of its log. */
export function failedToStart(name: ServiceName | 'supervisor', stateDir: string, how: string): UserError {
  const logFile = stackPaths(stateDir).logFile(name);
  const said = lastLines(logFile, 5).map((line) => `\n    ${line}`);
  return new UserError('environment', {
    message: `The ${name} of the stack in ${stateDir} ${how}.${said.length > 0 ? ` It said last:${said.join('')}` : ''}`,
    fix: `Read ${logFile}, fix what it names, and run: durabench up`,
  });
}

/** A server of somebody else that does not answer. */
export function absentServer(name: ServiceName, detail: string): UserError {
  const variables = name === 'postgres' ? 'DATABASE_URL' : 'TEMPORAL_ADDRESS or the Temporal profile';
  return new UserError('environment', {
    message: `The stack was not started: ${detail || `waiting for ${name}`}, and the time is up.`,
    expected: `a running ${name} at the address that ${variables} names`,
    fix: `Start that server or correct ${variables}; unset it to use the built-in one.`,
  });
}

/**
 * Servers may not change under a stack that is up.
 * @throws UserError when the environment names a server the stack does not use, or no longer names one it uses
 */
export function checkSameServers(environment: Environment): void {
  const other = otherServer(environment);
  if (!other) return;
  const { name, isExternal } = other;
  const variable = { postgres: 'DATABASE_URL', temporal: 'TEMPORAL_ADDRESS' }[name];
  const [has, asked] = isExternal ? ['an external', 'does not name one'] : ['its own', 'names another'];
  throw new UserError('environment', {
    message: `The stack in ${environment.stateDir} is up with ${has} ${name}, but ${variable} ${asked}.`,
    fix: `Run durabench down first, or ${isExternal ? 'set' : 'unset'} ${variable}.`,
  });
}

/**
 * The worker of a stack reads its slots from the environment: told before any server is started.
 * @throws UserError for variables that it would refuse
 */
export function checkSlots(environment: Environment): void {
  const { problems } = readSlotVariables(environment);
  if (problems.length > 0) throw new UserError('usage', problems);
}

/** The first server on which the stack of the state folder and the environment differ; `isExternal`: the stack's. */
export function otherServer(
  environment: Environment,
): { name: 'postgres' | 'temporal'; isExternal: boolean } | undefined {
  const state = readStackState(environment.stateDir);
  if (!state) return undefined;
  const named = { postgres: environment.databaseUrl !== undefined, temporal: environment.temporal !== undefined };
  return (['postgres', 'temporal'] as const)
    .map((name) => ({ name, isExternal: state.services[name].mode === 'external' }))
    .find(({ name, isExternal }) => named[name] !== isExternal);
}
