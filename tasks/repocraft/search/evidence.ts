import { entryPath, type CandidateEntry } from '../candidate/candidate-index.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { Ranked } from './rank.js';

/** What a task tells of its subject beside what a description means. */
export interface Told {
  /** Attributes that the test reads. */
  attributes: ReadonlySet<string>;
  /** Keyword arguments that it hands over. */
  keywords: ReadonlySet<string>;
  /** What the description says it is; undefined where it says nothing of it. */
  kind?: CandidateEntry['kind'];
}

/** What one name in common adds to a similarity, and how many count: weak, since tests use names of other things too. */
const NAME_WEIGHT = 0.02;
const MOST_NAMES = 3;
/** What it adds to be of the kind that was asked for: more than two names, and still less than what tells unlike things apart. */
const KIND_WEIGHT = 0.05;
/** How descriptions made by rule begin. */
const KIND = /^An? (class|function|object)\b/;
/** Methods of one class among the matches. */
const MOST_OF_A_CLASS = 2;
const MATCHED = {
  attribute: /\.([a-z_]\w*)/g,
  keyword: /[(,]\s*([a-z_]\w*)=(?!=)/g,
  parameter: /[(,]\s*\*{0,2}([a-z_]\w*)/g,
};

/** Read as text: what is found here only weighs, it decides nothing. */
export function toldBy({ description, test_code: code }: Pick<RepocraftTask, 'description' | 'test_code'>): Told {
  const all = (pattern: RegExp): Set<string> => new Set([...code.matchAll(pattern)].flatMap(([, name]) => name ?? []));
  const said = KIND.exec(description)?.[1];
  // Descriptions speak of an object.
  const kind = said === 'object' ? 'value' : (said as Told['kind']);
  return {
    attributes: all(MATCHED.attribute),
    keywords: all(MATCHED.keyword),
    ...(kind === undefined ? {} : { kind }),
  };
}

/**
 * The first `top` of ranked entries, by their similarity, by being what the description says (a class, a function), and by the names
 * they share with the test: a class its methods, a method its own name, each its parameters. Adaptation renames neither methods nor
 * parameters, so a test can only pass where it has these.
 * `__init__` and its like stand for their class, and of one class at most two methods are matches: five of one leave no room
 * for anything else. Scores stay the similarities. Measured: docs/results/calibration.md.
 */
export function byEvidence(
  ranked: readonly Ranked[],
  { entries, told, top }: { entries: readonly CandidateEntry[]; told: Told; top: number },
): Ranked[] {
  const classes = new Map<string, { row: number; methods: Set<string> }>();
  for (const [row, entry] of entries.entries())
    if (entry.kind === 'class') classes.set(entryPath(entry), { row, methods: new Set() });
  for (const entry of entries) if (entry.owner !== null) classes.get(ownerPath(entry))?.methods.add(entry.name);
  const shared = (entry: CandidateEntry): number => {
    const methods = entry.kind === 'class' ? [...(classes.get(entryPath(entry))?.methods ?? [])] : [entry.name];
    const called = entry.owner === null && entry.kind !== 'class' ? [] : methods.filter((name) => !isSpecial(name));
    const parameters = [...entry.signature.matchAll(MATCHED.parameter)].flatMap(([, name]) => name ?? []);
    const common =
      called.filter((name) => told.attributes.has(name)).length +
      parameters.filter((name) => told.keywords.has(name)).length;
    return Math.min(MOST_NAMES, common);
  };
  const ordered = ranked
    .flatMap(({ row, score }) => {
      const entry = entries[row];
      if (entry === undefined) return [];
      const at = isSpecial(entry.name) ? (classes.get(ownerPath(entry))?.row ?? row) : row;
      const isOfKind = told.kind !== undefined && entries[at]?.kind === told.kind;
      const weighed = score + NAME_WEIGHT * shared(entry) + (isOfKind ? KIND_WEIGHT : 0);
      return [{ row, at, score, owner: entry.owner === null ? null : ownerPath(entry), weighed }];
    })
    .sort((a, b) => b.weighed - a.weighed || a.row - b.row);
  const taken = new Map<number, Ranked>();
  const methods = new Map<string, number>();
  for (const { row, at, score, owner } of ordered) {
    if (taken.size === top) break;
    if (taken.has(at)) continue;
    if (at === row && owner !== null) {
      const before = methods.get(owner) ?? 0;
      if (before === MOST_OF_A_CLASS) continue;
      methods.set(owner, before + 1);
    }
    taken.set(at, { row: at, score });
  }
  return [...taken.values()];
}

const ownerPath = ({ module, owner }: CandidateEntry): string => `${module}.${owner}`;
const isSpecial = (name: string): boolean => /^__\w+__$/.test(name);
