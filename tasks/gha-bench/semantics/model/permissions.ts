import { child, entriesOf, textOf, type YamlNode } from '../nodes/node.js';
import { callersOf } from './lookup.js';
import type { Job, Semantics } from './model.js';

type Access = 'none' | 'read' | 'write';

/** What the token of a job may do. `implicit`: nothing is written, so the repository's setting decides. */
export interface Permissions {
  implicit: boolean;
  /** `read-all` or `write-all`, where that is written. */
  all?: 'read' | 'write';
  scopes: Record<string, Access>;
}

const SCOPES = [
  'actions',
  'attestations',
  'checks',
  'contents',
  'deployments',
  'discussions',
  'id-token',
  'issues',
  'models',
  'packages',
  'pages',
  'pull-requests',
  'security-events',
  'statuses',
];

/** Of a job: its own replace its workflow's as a whole. A pull request from a fork gets no write access. */
export function effectivePermissions(job: Job, fork = false): Permissions {
  const node = child(job.node, 'permissions') ?? child(job.workflow.root, 'permissions');
  const written = writtenPermissions(node);
  return fork ? { ...written, scopes: mapAccess(written.scopes, () => 'read') } : written;
}

/** Of a called workflow that says nothing itself: what a job that calls it has. */
export function grantedPermissions(semantics: Semantics, job: Job): Permissions {
  const own = effectivePermissions(job);
  const [caller] = own.implicit ? callersOf(semantics, job.workflow) : [];
  return caller ? effectivePermissions(caller) : own;
}

/** A called workflow's jobs can only keep or lose what its caller has. */
export function narrowed(inner: Permissions, caller: Permissions): Permissions {
  if (inner.implicit) return caller;
  if (caller.implicit) return inner;
  const scopes = mapAccess(inner.scopes, (scope) => caller.scopes[scope] ?? 'none');
  return { ...inner, scopes };
}

function writtenPermissions(node: YamlNode | undefined): Permissions {
  if (!node) return { implicit: true, scopes: {} };
  const all = /^(read|write)-all$/.exec(textOf(node) ?? '')?.[1] as 'read' | 'write' | undefined;
  if (all) return { implicit: false, all, scopes: Object.fromEntries(SCOPES.map((scope) => [scope, all])) };
  const scopes: Record<string, Access> = {};
  for (const { key, value } of entriesOf(node)) scopes[key] = accessOf(textOf(value));
  return { implicit: false, scopes };
}

function accessOf(text: string | undefined): Access {
  return text === 'read' || text === 'write' ? text : 'none';
}

const ORDER: Access[] = ['none', 'read', 'write'];

function mapAccess(scopes: Record<string, Access>, most: (scope: string) => Access): Record<string, Access> {
  const limited = Object.entries(scopes).map(([scope, access]) => {
    return [scope, ORDER[Math.min(ORDER.indexOf(access), ORDER.indexOf(most(scope)))] ?? 'none'];
  });
  return Object.fromEntries(limited) as Record<string, Access>;
}
