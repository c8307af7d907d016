import { idProblem } from '../domain/campaign/ids.js';
import { problemAt, unknownWord, type PlacedProblem } from '../domain/shape/shape-problems.js';
import { pathText } from '../domain/text/path-text.js';
import { needsOf, type SuiteRules } from './suite-rules.js';
import type { YamlSource } from '../domain/shape/yaml-source.js';

/** What one check looks at: the file as written (its shape may be broken) and the suite, where it is known. */
interface Subject {
  raw: Record<string, unknown>;
  suite: SuiteRules | undefined;
  source: YamlSource;
}

type Mapping = Record<string, unknown>;

/** Names that do not fit or do not exist: ids, generators, models, projects. Works on broken files too. */
export function referenceProblems(subject: Subject): PlacedProblem[] {
  return [
    ...nameProblems(subject),
    ...projectProblems(subject),
    ...systemsOf(subject).flatMap((each) => systemProblems(subject, each)),
    ...experimentProblems(subject),
  ];
}

function nameProblems({ raw, source }: Subject): PlacedProblem[] {
  const problem = typeof raw.name === 'string' ? badId(raw.name, ['name'], source) : undefined;
  return problem === undefined ? [] : [problem];
}

function projectProblems({ raw, suite, source }: Subject): PlacedProblem[] {
  const projects = isMapping(raw.dataset) ? raw.dataset.projects : undefined;
  if (suite === undefined || !Array.isArray(projects)) return [];
  return projects.flatMap((word: unknown, index) =>
    typeof word !== 'string' || suite.dataset.projects.includes(word)
      ? []
      : [
          unknownWord({
            word,
            kind: `a project of ${suite.manifest.id}`,
            known: suite.dataset.projects,
            path: ['dataset', 'projects', index],
            source,
          }),
        ],
  );
}

/** A baseline is one of at least two systems. */
function experimentProblems({ raw, source }: Subject): PlacedProblem[] {
  const baseline = isMapping(raw.experiment) ? raw.experiment.baseline : undefined;
  const systems = Array.isArray(raw.systems) ? (raw.systems as unknown[]) : [];
  const known = systems.flatMap((system) => (isMapping(system) && typeof system.id === 'string' ? [system.id] : []));
  if (typeof baseline !== 'string' || known.length === 0) return [];
  const path = ['experiment', 'baseline'];
  if (!known.includes(baseline))
    return [unknownWord({ word: baseline, kind: 'a system of this file', known, path, source })];
  return known.length > 1
    ? []
    : [
        problemAt(source, path, {
          message: `${pathText(path)}: "${baseline}" has no variant`,
          expected: 'at least two systems: the baseline, and what differs from it',
          fix: 'add a system to `systems`, or leave `experiment` out',
        }),
      ];
}

interface WrittenSystem {
  system: Mapping;
  index: number;
  /** Its id is that of an earlier one. */
  isRepeated: boolean;
  /** Purpose → key of models. */
  purposes: Mapping;
}

function systemsOf({ raw }: Subject): WrittenSystem[] {
  const entries = Array.isArray(raw.systems) ? (raw.systems as unknown[]) : [];
  const seen = new Set<unknown>();
  return entries.flatMap((system, index) => {
    if (!isMapping(system)) return [];
    const isRepeated = system.id !== undefined && seen.has(system.id);
    seen.add(system.id);
    return [{ system, index, isRepeated, purposes: isMapping(system.purposes) ? system.purposes : {} }];
  });
}

function systemProblems(
  { raw, suite, source }: Subject,
  { system, index, isRepeated, purposes }: WrittenSystem,
): PlacedProblem[] {
  const at = (key: string): PropertyKey[] => ['systems', index, key];
  const problems: (PlacedProblem | undefined)[] = [];
  if (typeof system.id === 'string') problems.push(badId(system.id, at('id'), source));
  if (isRepeated) problems.push(repeatedId(String(system.id), at('id'), source));
  const generator = typeof system.generator === 'string' ? system.generator : undefined;
  const needs = generator === undefined ? undefined : needsOf(suite, generator);
  if (generator !== undefined && suite !== undefined && needs === undefined) {
    const known = Object.keys(suite.generators);
    problems.push(
      unknownWord({
        word: generator,
        kind: `a generator of ${suite.manifest.id}`,
        known,
        path: at('generator'),
        source,
      }),
    );
  }
  const models = isMapping(raw.models) ? Object.keys(raw.models) : [];
  const modelWord = (word: unknown, path: PropertyKey[]): void => {
    if (typeof word === 'string' && !models.includes(word))
      problems.push(
        unknownWord({ word, kind: 'a key of models', known: models, path, source, fix: `add it under models` }),
      );
  };
  modelWord(system.model, at('model'));
  for (const [purpose, word] of Object.entries(purposes)) {
    const path = [...at('purposes'), purpose];
    modelWord(word, path);
    const known = needs?.purposes ?? [purpose];
    const kind = `a purpose of generator "${generator ?? ''}"`;
    if (!known.includes(purpose)) problems.push(unknownWord({ word: purpose, kind, known, path, source }));
  }
  if (needs !== undefined)
    problems.push(...needProblems({ needs, system, purposes, generator: generator ?? '', models, at, source }));
  return problems.filter((problem) => problem !== undefined);
}

function needProblems(input: {
  needs: SuiteRules['generators'][string];
  system: Mapping;
  purposes: Mapping;
  generator: string;
  models: readonly string[];
  at: (key: string) => PropertyKey[];
  source: YamlSource;
}): PlacedProblem[] {
  const { needs, system, purposes, generator, models, at, source } = input;
  const name = pathText(at('').slice(0, 2));
  const problems: PlacedProblem[] = [];
  const add = (key: string, parts: { message: string; expected: string; fix: string }): void => {
    problems.push(problemAt(source, at(key), { ...parts, message: `${name}${parts.message}` }));
  };
  const routed = Object.keys(purposes);
  const unrouted = needs.purposes?.filter((purpose) => !routed.includes(purpose)) ?? [];
  if (needs.needsModel && (system.model ?? null) === null && (routed.length === 0 || unrouted.length > 0))
    add('model', {
      message: `: generator "${generator}" needs a model${routed.length === 0 ? '' : ` for ${unrouted.join(', ')}`}`,
      expected: models.length === 0 ? 'a key of models; none is defined' : `one of ${models.join(', ')}`,
      fix: `add \`model: ${models[0] ?? '…'}\`${routed.length === 0 ? '' : ', for every purpose that is not named'}`,
    });
  if (needs.needsPath && (system.path ?? null) === null)
    add('path', {
      message: `: generator "${generator}" needs a path`,
      expected: 'a folder or archive with the candidate, relative to this file',
      fix: 'add `path: …`',
    });
  if (!needs.needsPath && (system.path ?? null) !== null)
    add('path', {
      message: `.path: generator "${generator}" takes no path`,
      expected: 'a path only where the generator grades a folder of yours',
      fix: 'remove `path`, or use `generator: snapshot`',
    });
  return problems;
}

function badId(id: string, path: PropertyKey[], source: YamlSource): PlacedProblem | undefined {
  const problem = idProblem(id, 40);
  if (problem === undefined) return undefined;
  const suggested = id
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 40)
    .replace(/[^a-z0-9]+$/, '');
  return problemAt(source, path, {
    message: `${pathText(path)}: "${id}" ${problem}`,
    expected: 'at most 40 characters from a-z, 0-9, ".", "_" and "-", starting with a letter or digit',
    fix: suggested === '' ? 'choose such a name' : `for example "${suggested}"`,
  });
}

function repeatedId(id: string, path: PropertyKey[], source: YamlSource): PlacedProblem {
  return problemAt(source, path, {
    message: `${pathText(path)}: there is already a system "${id}"`,
    fix: `rename one, for example "${id}-2"; for more samples of one system use \`repeats\``,
  });
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
