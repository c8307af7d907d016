import type { RepocraftTask } from '../dataset/repocraft-task.js';
import { Likeness, likeness, MIN_ALIKE, shareOf } from './alike.js';
import type { CandidateEntry, CandidateIndex } from '../candidate/candidate-index.js';
import { SymbolTable, type Resolved } from './symbol-table.js';
import { composedPaths, setUpPaths, usedPaths } from './used-paths.js';
import { tokenize } from '../../../src/suite-kit/tokenize.js';

/** What a reference path is replaced with: `from <module> import <name>`, or the module itself where the name is empty. */
export interface Binding {
  /** The reference path the test uses: `requests.utils.super_len`. */
  path: string;
  /** Where the reference makes it: `requests.utils.super_len` for `requests.super_len`; a module's own path. */
  reference: string;
  module: string;
  name: string;
  /** Attributes kept behind the name. */
  rest: string[];
  /** Only the set-up of the file asks for it, and the candidate has none: what uses it goes. */
  absent?: true;
}

/** Evidence of an adaptation: the {@link Binding}s of a test that was renamed. */
export const BINDINGS_FILE = 'bindings.json';

/** How a test's reference names map to a candidate. */
export type Bound =
  /** The candidate has every path under its own name: the test runs as it stands. */
  { kind: 'identical' } | ({ kind: 'renamed'; bindings: Binding[] } & OffTarget) | Refused;

type Refused = { kind: 'refused'; code: string; message: string; unbound?: Unbound } & OffTarget;

/** A path that nothing answers to, and what other paths of the test are bound to: one symbol cannot stand for two. */
interface Unbound {
  path: string;
  taken: Choice[];
}

/** What was accepted cannot stand for the task's main target (a method for a function): that is what is called most alike, or nothing. */
type OffTarget = { isOffTarget?: true };

interface Libraries {
  reference: CandidateIndex;
  candidate: CandidateIndex;
}

/** A task, and the accepted match; null where the oracle handed the targets over. */
interface Accepted {
  task: RepocraftTask;
  voted: CandidateEntry | null;
  /** What stands for paths that nothing answers to; without it they are refused. */
  standIns?: ReadonlyMap<string, Choice>;
}

/** Both libraries as they are looked up in, and what is bound. */
type BindingJob = Libraries & Accepted & { alike: Likeness; tables: Record<keyof Libraries, SymbolTable> };

/**
 * Binds every reference path of a test to a symbol of the candidate: the task's main target to the voted symbol (or to the
 * entry of the same name beside it), everything else to the best match by name and kind.
 */
export type Binder = (accepted: Accepted) => Bound;

/** For all tasks of two libraries: what is looked up in them is read once. */
export function createBinder(libraries: Libraries): Binder {
  const { reference, candidate } = libraries;
  const alike = new Likeness(reference, candidate);
  const tables = { reference: new SymbolTable(reference), candidate: new SymbolTable(candidate) };
  return (accepted) => bound({ ...libraries, ...accepted, alike, tables });
}

function bound(job: BindingJob): Bound {
  const { reference } = job.tables;
  const found: Found[] = [];
  const paths = usedPaths(job.task);
  const spared = setUpPaths(job.task);
  for (const path of paths) {
    const wanted = reference.resolve(path);
    if (wanted === null)
      return refused('adapt.unknown-path', `the test uses ${path}, which the reference does not have`);
    const one = bindingOf(job, { path, wanted, paths });
    if (one === null && !spared.has(path)) {
      const taken = takenBy(job, paths);
      const why = {
        ...refused('adapt.unbound', `nothing in the candidate answers to ${path}`),
        unbound: { path, taken },
      };
      return isMainTarget(job.task, wanted) ? { ...why, isOffTarget: true } : why;
    }
    found.push(one ?? absent(path, wanted));
  }
  // What a set-up only names (an application, a backend) another library may well lack: the text stays as it is.
  for (const path of composedPaths(job.task).filter((each) => !paths.includes(each))) {
    const wanted = reference.resolve(path);
    const one = wanted === null ? null : bindingOf(job, { path, wanted, paths });
    if (one !== null) found.push(one);
  }
  const isIdentical = found.every(({ isSame: same }) => same);
  if (isIdentical) return { kind: 'identical' };
  const bindings = found.map(({ binding }) => binding);
  return { kind: 'renamed', bindings, ...(found.some(({ isGuess }) => isGuess) ? { isOffTarget: true } : {}) };
}

/** What the paths of a test are bound to, as far as anything answers to them. */
function takenBy(job: BindingJob, paths: string[]): Choice[] {
  return paths.flatMap((path) => {
    const wanted = job.tables.reference.resolve(path);
    const bound = wanted === null ? null : bindingOf(job, { path, wanted, paths });
    return bound === null ? [] : [{ module: bound.binding.module, name: bound.binding.name }];
  });
}

interface Found {
  binding: Binding;
  /** The candidate has it under the same path. */
  isSame: boolean;
  /** The main target, which is neither what was accepted nor anything under its own path. */
  isGuess: boolean;
}

/** What a path is bound to; null where nothing answers to it. */
function bindingOf(
  job: BindingJob,
  { path, wanted, paths }: { path: string; wanted: Resolved; paths: string[] },
): Found | null {
  const { reference, candidate } = job.tables;
  const own = sameNamedOf(candidate.resolve(path), wanted);
  const taken = sameNamed(candidate, reference, paths, wanted);
  const chosen = choose(job, wanted, { own, taken }) ?? job.standIns?.get(path) ?? null;
  if (chosen === null) return null;
  const { module, name } = chosen;
  const binding = { path, reference: definitionOf(wanted), module, name, rest: wanted.rest };
  return {
    binding,
    isSame: own !== null && isSame(own, chosen) && hasModulesOf(job, path),
    isGuess: own === null && isMainTarget(job.task, wanted) && !isOfVoted(job, wanted, chosen),
  };
}

/** Bound to what was accepted, or to what is accepted with it; of the oracle everything is. */
function isOfVoted(job: BindingJob, wanted: Resolved, chosen: Choice): boolean {
  const voted = job.voted === null ? null : votedChoice(job, wanted, job.voted);
  return job.voted === null || (voted !== null && isSame(voted, chosen));
}

const absent = (path: string, wanted: Resolved): Found => ({
  binding: { path, reference: definitionOf(wanted), module: '', name: '', rest: [], absent: true },
  isSame: false,
  isGuess: false,
});

/** A test may import from every module its path leads through, for which an attribute of that name is not enough. */
function hasModulesOf({ reference, candidate }: Libraries, path: string): boolean {
  const parts = path.split('.');
  const prefixes = parts.map((_, last) => parts.slice(0, last + 1).join('.'));
  return prefixes.every(
    (prefix) => !Object.hasOwn(reference.modules, prefix) || Object.hasOwn(candidate.modules, prefix),
  );
}

/** `solvers.solve.solve_real` of a candidate whose `solvers.solve` is a function is an attribute of that, and no entry of the same name. */
const sameNamedOf = (own: Resolved | null, wanted: Resolved): Resolved | null =>
  own !== null && own.rest.length > wanted.rest.length ? null : own;

const definitionOf = ({ module, name }: Choice): string => (name === '' ? module : `${module}.${name}`);

const refused = (code: string, message: string): Refused => ({ kind: 'refused', code, message });

const isSame = (a: Choice, b: Choice): boolean => a.module === b.module && a.name === b.name;

/** A definition that a path is bound to. */
export type Choice = Pick<Resolved, 'module' | 'name'>;

/** What the candidate calls by the names of the test's other reference symbols: one symbol cannot stand for two. */
function sameNamed(candidate: SymbolTable, reference: SymbolTable, paths: string[], wanted: Resolved): Choice[] {
  return paths.flatMap((path) => {
    const other = reference.resolve(path);
    if (other === null || isSame(other, wanted)) return [];
    const own = sameNamedOf(candidate.resolve(path), other);
    return own === null || own.name === '' ? [] : [own];
  });
}

function choose(
  job: BindingJob,
  wanted: Resolved,
  { own, taken }: { own: Resolved | null; taken: Choice[] },
): Choice | null {
  if (job.voted !== null && isMainTarget(job.task, wanted)) {
    const voted = votedChoice(job, wanted, job.voted);
    if (voted !== null && !taken.some((other) => isSame(other, voted))) return voted;
  }
  if (own !== null) return own;
  if (wanted.kind === 'external') return { module: wanted.module, name: '' };
  if (wanted.kind === 'module') return closestModule(job.candidate, wanted.module);
  return closestName(job, wanted);
}

/** The main target, or the class it is a method of. */
function isMainTarget(task: RepocraftTask, wanted: Resolved): boolean {
  const main = task.targets[0] ?? '';
  const path = `${wanted.module}.${wanted.name}`;
  return wanted.name !== '' && (main === path || main.startsWith(`${path}.`));
}

/** The voted symbol where its kind fits (a method stands for its class), an entry of the same name of the target in the same module before it. */
function votedChoice(job: BindingJob, wanted: Resolved, voted: CandidateEntry): Choice | null {
  const beside = job.candidate.entries.find(
    (entry) =>
      entry.owner === null && entry.module === voted.module && isKind(entry, wanted) && entry.name === wanted.name,
  );
  if (beside !== undefined) return beside;
  const values = job.candidate.modules[voted.module]?.names ?? {};
  if (wanted.kind === 'value' && values[wanted.name] === null) return { module: voted.module, name: wanted.name };
  const top = voted.owner === null ? voted : topClass(job.candidate, voted);
  return top !== undefined && isKind(top, wanted) ? { module: top.module, name: top.name } : null;
}

const topClass = (index: CandidateIndex, method: CandidateEntry): CandidateEntry | undefined =>
  index.entries.find(
    (entry) =>
      entry.owner === null &&
      entry.kind === 'class' &&
      entry.module === method.module &&
      entry.name === method.owner?.split('.')[0],
  );

/** It can stand for what is wanted. */
export const isKind = (entry: CandidateEntry, { kind }: Resolved): boolean =>
  kind === 'value' || kind === 'compiled' || kind === entry.kind;

/** The top-level definition of the same kind that is most alike, one in a module of like name first among equals. */
function closestName(job: BindingJob, wanted: Resolved): Choice | null {
  const area = areaOf(wanted.module);
  const near = job.voted?.module ?? null;
  const entry = entryOf(job.reference, wanted);
  let best: { choice: Choice; score: number } | null = null;
  for (const choice of namesOfKind(job.candidate, wanted)) {
    const own = entry === undefined || choice.entry === undefined ? null : job.alike.of(entry, choice.entry);
    const like = own ?? likeness(wanted.name, choice.name);
    if (like < MIN_ALIKE) continue;
    const score = like + shareOf(area, areaOf(choice.module)) / 10 + (choice.module === near ? 0.02 : 0);
    if (best === null || score > best.score) best = { choice, score };
  }
  return best === null ? null : { module: best.choice.module, name: best.choice.name };
}

const areaOf = (module: string): Set<string> => new Set(tokenize(module.split('.').slice(1).join('.')));

const entryOf = (index: CandidateIndex, { module, name }: Choice): CandidateEntry | undefined =>
  index.entries.find((entry) => entry.owner === null && entry.module === module && entry.name === name);

function namesOfKind(index: CandidateIndex, wanted: Resolved): (Choice & { entry?: CandidateEntry })[] {
  const entries = index.entries.filter((entry) => entry.owner === null && isKind(entry, wanted));
  const values = Object.entries(index.modules).flatMap(([module, { names }]) =>
    Object.entries(names).flatMap(([name, source]) => (source === null ? [{ module, name }] : [])),
  );
  const made =
    wanted.kind === 'value' ? [] : entries.map((entry) => ({ module: entry.module, name: entry.name, entry }));
  return wanted.kind === 'value' || wanted.kind === 'compiled' ? [...made, ...values] : made;
}

function closestModule(index: CandidateIndex, wanted: string): Choice | null {
  const isTop = !wanted.includes('.');
  const last = wanted.split('.').at(-1) ?? '';
  let best: { module: string; alike: number } | null = null;
  for (const module of Object.keys(index.modules)) {
    // The top package of the reference is the top package of the candidate, whatever it is called.
    const alike =
      isTop && index.packages.length === 1
        ? Number(module === index.packages[0])
        : likeness(last, module.split('.').at(-1) ?? '');
    if (alike >= MIN_ALIKE && (best === null || alike > best.alike)) best = { module, alike };
  }
  return best === null ? null : { module: best.module, name: '' };
}
