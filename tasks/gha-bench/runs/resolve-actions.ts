import { parse } from 'yaml';

/** An action as a workflow names it, and the folder in the image `gha-engine` that stands for it. */
export interface ResolvedAction {
  /** `owner/repo@ref`. */
  uses: string;
  folder: string;
}

/**
 * Actions that the image has, with the newest major version there is: six that do what the action does, and others that record what
 * they are asked for. What is not here act cannot have, and says so; the repository's own it checks out by itself.
 */
export const ACTIONS: Readonly<Record<string, number>> = {
  'actions/cache': 6,
  'actions/configure-pages': 5,
  'actions/deploy-pages': 4,
  'actions/download-artifact': 8,
  'actions/github-script': 9,
  'actions/setup-node': 7,
  'actions/setup-python': 6,
  'actions/upload-artifact': 7,
  'actions/upload-pages-artifact': 4,
  'aws-actions/configure-aws-credentials': 6,
  'docker/build-push-action': 7,
  'docker/login-action': 4,
  'docker/metadata-action': 6,
  'docker/setup-buildx-action': 4,
  'docker/setup-qemu-action': 4,
  'hashicorp/setup-terraform': 4,
  'pypa/gh-action-pypi-publish': 1,
  'softprops/action-gh-release': 3,
};

/** `owner/repo/path@ref`. A hash is taken as it is: whether it is one of the action's the lint layer says. */
const REMOTE = /^([\w.-]+\/[\w.-]+)(?:\/[^@]*)?@(.+)$/;
const VERSION = /^v(\d{1,2})(\.\d+){0,2}$/;
const OTHER_REF = /^([0-9a-f]{40}|main|master|release\/v1)$/;

/** Which actions of a candidate's files the image has. */
export function resolveActions(files: Record<string, string>): ResolvedAction[] {
  const named = new Set(Object.values(files).flatMap((text) => usesIn(parsedOrNull(text))));
  const found = [...named].flatMap((uses) => {
    const [, action = '', ref = ''] = REMOTE.exec(uses) ?? [];
    return isKnown(action, ref) ? [`${action}@${ref}`] : [];
  });
  return [...new Set(found)].sort().map((uses) => {
    return { uses, folder: `/opt/actions/${uses.slice(0, uses.indexOf('@'))}` };
  });
}

function isKnown(action: string, ref: string): boolean {
  const newest = ACTIONS[action];
  if (newest === undefined) return false;
  const major = Number(VERSION.exec(ref)?.[1] ?? 0);
  return (major >= 1 && major <= newest) || OTHER_REF.test(ref);
}

function usesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'uses' in value && typeof value.uses === 'string' ? [value.uses] : [];
  return [...own, ...Object.values(value).flatMap(usesIn)];
}

function parsedOrNull(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' });
  } catch {
    return null;
  }
}
