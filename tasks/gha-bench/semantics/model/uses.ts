/** What `uses` names. A local path ends in a file for workflows and in a folder for actions. */
export type UsesRef =
  | { kind: 'local'; path: string; written: string }
  | { kind: 'docker'; image: string; written: string }
  | { kind: 'remote'; name: string; owner: string; repo: string; path: string; ref: string; written: string };

const WORKFLOW_FILE = /\.ya?ml$/;

export function usesRef(written: string): UsesRef {
  if (written.startsWith('docker://')) return { kind: 'docker', image: written.slice('docker://'.length), written };
  const local = /^(?:\.|\$)\/(.*)$/.exec(written);
  if (local) return { kind: 'local', path: (local[1] ?? '').replace(/\/+$/, ''), written };
  const [target = '', ref = ''] = written.split('@', 2);
  const [owner = '', repo = '', ...path] = target.split('/');
  return { kind: 'remote', name: `${owner}/${repo}`.toLowerCase(), owner, repo, path: path.join('/'), ref, written };
}

export function namesWorkflow(uses: UsesRef): boolean {
  return uses.kind !== 'docker' && WORKFLOW_FILE.test(uses.path);
}

/** `actions/cache/restore` and `actions/cache` for `actions/cache/restore@v4`. */
export function actionNames(uses: UsesRef | undefined): string[] {
  if (uses?.kind !== 'remote') return uses ? [uses.written] : [];
  return uses.path ? [`${uses.name}/${uses.path.toLowerCase()}`, uses.name] : [uses.name];
}

/** Of a tag such as v4 or v4.1.2; undefined for branches and digests. */
export function majorOf(ref: string): number | undefined {
  const major = /^v?(\d{1,4})(?:\.|$)/.exec(ref)?.[1];
  return major === undefined ? undefined : Number(major);
}
