import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { SuitePackage } from '../config/suite-packages.js';
import type { SuitePlans } from '../contract/suite.js';
import { UserError } from '../domain/failure/user-error.js';
import type { Suite } from './suite.js';

/** A suite, and the package it comes from; null: it is one of this tree. */
export interface KnownSuite extends Suite {
  from: SuitePackage | null;
}

const ID = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** What an author without TypeScript may have left out. */
const NEEDED = [
  ...(['folder', 'schemas', 'generators', 'campaignProblems', 'images', 'dataset', 'trialSettings'] as const),
  ...(['stages', 'resultColumns'] as const),
];

/**
 * Imports what a package brings: its suite, with an absolute folder, and the names of its own workflows.
 * @throws UserError where a module cannot be imported, or is not what the contract says
 */
export async function importSuite(from: SuitePackage): Promise<{ suite: KnownSuite; workflows: string[] }> {
  const { suite } = (await load(from, from.module)) as { suite?: Suite };
  if (typeof suite?.manifest?.id !== 'string' || !ID.test(suite.manifest.id))
    throw unusable(from, `${from.module} exports no suite with an id`, {
      expected: 'export const suite: Suite, whose manifest.id is lower-case letters, digits and "-"',
      fix: `correct it, or durabench.suite.module in the package.json of ${from.name}`,
    });
  checkParts(from, suite);
  const { plans } = (await load(from, from.plans)) as { plans?: SuitePlans };
  if (!isDeepStrictEqual(plans?.manifest, suite.manifest))
    throw unusable(from, `${from.plans} exports no plans with the manifest of the suite`, {
      expected: 'export const plans: SuitePlans, with the same manifest as the suite',
      fix: `correct it, or durabench.suite.plans in the package.json of ${from.name}`,
    });
  const workflows = from.workflows === null ? {} : await load(from, from.workflows);
  return {
    suite: { ...suite, folder: resolve(from.folder, suite.folder), from },
    workflows: Object.keys(workflows).filter((name) => name !== 'default'),
  };
}

function checkParts(from: SuitePackage, { manifest, ...suite }: Suite): void {
  const missing: string[] = NEEDED.filter((part) => suite[part] === undefined);
  for (const [stage, routing] of Object.entries(manifest.stages ?? {}))
    if (routing !== null && suite.stages?.[stage as keyof Suite['stages']] === undefined)
      missing.push(`stages.${stage}`);
  if (missing.length === 0) return;
  throw unusable(from, `its suite lacks ${missing.join(', ')}`, {
    expected: 'a Suite (durabench/suite), with a function for every stage of its manifest that is not null',
    fix: `add it in ${from.module}`,
  });
}

async function load(from: SuitePackage, module: string): Promise<object> {
  try {
    return (await import(pathToFileURL(module).href)) as object;
  } catch (error) {
    throw importProblem(from, module, error);
  }
}

function importProblem(from: SuitePackage, module: string, error: unknown): UserError {
  const { code, message = String(error), stack = '' } = error as { code?: string; message?: string; stack?: string };
  const said = message.split('\n')[0] ?? '';
  // What cannot be parsed has no place in its stack.
  const place = stack.split('\n').find((line) => line.includes(from.folder)) ?? `${module}, or what it imports`;
  if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' && /[\\/]durabench[\\/]package\.json/.test(said))
    return unusable(from, `it imports the inside of Durabench: ${said}`, {
      expected: 'imports of durabench, durabench/suite, durabench/workflow-kit and durabench/testing alone',
      fix: `install a version of ${from.name} that keeps to them`,
    });
  if (code === 'ERR_MODULE_NOT_FOUND' && /package 'durabench['/]/.test(said))
    return unusable(from, `it finds no Durabench from ${from.folder}`, {
      expected: 'a package that is installed beside durabench, not linked from elsewhere',
      fix: `npm install --install-links ${from.folder}`,
    });
  return unusable(from, `it cannot be imported: ${said} (${place.trim()})`, {
    fix: `install another version of ${from.name}, or remove it from the list of suites`,
  });
}

/** What is wrong with a package. */
export function unusable(
  { name, version }: SuitePackage,
  why: string,
  rest: { expected?: string; fix: string },
): UserError {
  const message = `the suite package ${name} ${version} cannot be used: ${why}`;
  return new UserError('environment', { message, ...rest });
}
