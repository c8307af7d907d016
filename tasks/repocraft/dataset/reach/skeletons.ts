import type { CandidateIndex } from '../../candidate/candidate-index.js';
import { SymbolTable, type Resolved } from '../../adaptation/symbol-table.js';
import { setUpPaths, usedPaths } from '../../adaptation/used-paths.js';
import type { Draft } from '../describing/drafts.js';

/** What a skeleton has one of. */
export interface SkeletonSymbol {
  name: string;
  kind: 'class' | 'function' | 'value' | 'exception';
}

const EXCEPTION = /(Error|Exception|Warning)$/;

/** What a test itself asks of a library, as an independent one could have it. */
type Asked = (task: Pick<Draft, 'imports' | 'targets'>) => SkeletonSymbol[];

/**
 * Of the reference's names a test reaches, those another library may have: not what only a set-up of ours asks for, not
 * whole modules, and of what is the reference's own (`not-offered.json`) only the subject.
 */
export function askedBy(reference: CandidateIndex, notOffered: RegExp | null): Asked {
  const table = new SymbolTable(reference);
  const bases = new Map(
    reference.entries.flatMap((entry) =>
      entry.owner === null ? [[`${entry.module}.${entry.name}`, entry.bases]] : [],
    ),
  );
  const symbolOf = (wanted: Resolved): SkeletonSymbol => {
    const isError = [wanted.name, ...(bases.get(`${wanted.module}.${wanted.name}`) ?? [])].some((name) =>
      EXCEPTION.test(name),
    );
    if (wanted.kind === 'function' || wanted.kind === 'value') return { name: wanted.name, kind: wanted.kind };
    return { name: wanted.name, kind: isError ? 'exception' : 'class' };
  };
  return (task) => {
    const spared = setUpPaths(task);
    const found = new Map<string, SkeletonSymbol>();
    for (const path of usedPaths(task)) {
      const wanted = spared.has(path) ? null : table.resolve(path);
      if (wanted === null || wanted.name === '') continue;
      const definition = `${wanted.module}.${wanted.name}`;
      const isSubject = `${task.targets[0] ?? ''}.`.startsWith(`${definition}.`);
      const isOwn = notOffered !== null && [path, definition].some((name) => notOffered.test(name));
      if (isSubject || !isOwn) found.set(definition, symbolOf(wanted));
    }
    return [...found.values()];
  };
}
