import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { CandidateEntry, CandidateIndex } from '../candidate/candidate-index.js';

/** What `python/candidate/guard.py` says of a rewrite. */
export type GuardAnswer = { accepted: true } | { code: string; message: string };

/** What `guard.py` imports. */
export const GUARD_FILES = ['statements', 'questions', 'accounts', 'flow', 'view'].map((part) => `guard_${part}.py`);

/** What the guard judges a rewrite by: both texts, and what is known of the two libraries. */
export function guardRequest(
  about: { task: RepocraftTask; reference: CandidateIndex; candidate: CandidateIndex; entry: CandidateEntry },
  rewritten: string,
): object {
  const { task, reference, candidate, entry } = about;
  const named = Object.entries(candidate.modules).map(([module, { names }]): [string, object] => [module, names]);
  const properties = new Set(candidate.entries.flatMap(({ property, name }) => (property === true ? [name] : [])));
  const called = candidate.entries.filter(
    ({ kind, name }) => (kind === 'function' || kind === 'method') && !properties.has(name),
  );
  return {
    ...{ test_code: task.test_code, rewritten, packages: reference.packages },
    target: nameOf((task.targets[0] ?? '').split('.')),
    located: {
      name: nameOf([entry.module, ...entry.qualname.split('.')]),
      owner: entry.owner?.split('.').at(-1) ?? null,
    },
    candidate: {
      ...{ packages: candidate.packages, modules: Object.fromEntries(named) },
      callables: [...new Set(called.map(({ name }) => name))],
      classes: [...new Set(candidate.entries.flatMap(({ kind, name }) => (kind === 'class' ? [name] : [])))],
    },
  };
}

/** The last name; for `Cart.__init__` the class, because that is what a test names. */
function nameOf(path: readonly string[]): string {
  const last = path.at(-1) ?? '';
  return /^__\w+__$/.test(last) ? (path.at(-2) ?? last) : last;
}
