import type { ZodType, z } from 'zod';
import type { Problem } from '../../contract/problem.js';
import { problemMessage } from '../failure/problem-text.js';
import { allowedAt, exampleAt, jsonSchemaOf, keysAllowedAt, knownKeys } from './schema-node.js';
import { nearest } from '../text/nearest.js';
import { pathText } from '../text/path-text.js';
import { placeText, yamlSource, type YamlSource } from './yaml-source.js';

type Issue = z.core.$ZodIssue;

/** A problem with the path it belongs to, so that later checks do not report the same place again. */
export type PlacedProblem = Problem & Required<Pick<Problem, 'path' | 'place'>>;

/** Checks one part of a file against its schema and words every issue for the person who wrote it. */
export function checkShape<Output>(
  part: {
    schema: ZodType<Output>;
    value: unknown;
    /** Where the part stands in the file. */
    path: readonly PropertyKey[];
    /** Keys that are fine here although this schema does not list them (a system's common keys). */
    furtherKeys?: readonly string[];
  },
  source: YamlSource,
): { value: Output | undefined; problems: PlacedProblem[] } {
  const parsed = part.schema.safeParse(part.value);
  if (parsed.success) return { value: parsed.data, problems: [] };
  const node = jsonSchemaOf(part.schema);
  const problems = parsed.error.issues.flatMap(flattenUnion).flatMap((issue): PlacedProblem[] => {
    const inner = issue.path;
    const path = [...part.path, ...inner];
    if (issue.code === 'unrecognized_keys') {
      const known = [...(inner.length === 0 ? (part.furtherKeys ?? []) : []), ...knownKeys(node, inner)];
      return issue.keys.map((key) => unknownKey({ key, known, path, source }));
    }
    if (issue.code === 'invalid_key') return [wrongKey(path, source, keysAllowedAt(node, inner.slice(0, -1)))];
    return [
      wrongValue({
        issue,
        path,
        found: valueAt(part.value, inner),
        source,
        allowed: allowedAt(node, inner),
        example: exampleAt(node, inner),
      }),
    ];
  });
  return { value: undefined, problems };
}

/** Reads YAML text that has to have one shape. All that is wrong with it comes from the top of the file down; then there is no value. */
export function shapedYaml<Output>(
  text: string,
  file: string,
  schema: ZodType<Output>,
): { value: Output | undefined; problems: Problem[] } {
  const source = yamlSource(text, file);
  if (source.problems.length > 0) return { value: undefined, problems: source.problems };
  const { value, problems } = checkShape({ schema, value: source.value, path: [] }, source);
  return { value, problems: inFileOrder(problems) };
}

/**
 * Problems as a reader meets them from the top of the file; those without a place come first. What several systems find
 * at one place, as in the judge they share, is told once.
 */
export function inFileOrder(problems: readonly Problem[]): Problem[] {
  const before = ({ place: one }: Problem, { place: other }: Problem): number =>
    (one?.line ?? 0) - (other?.line ?? 0) || (one?.column ?? 0) - (other?.column ?? 0);
  return [...new Map(problems.map((problem) => [problemMessage(problem), problem])).values()].sort(before);
}

/** A problem of a value, or of a key within it, that says where it stands. */
export function problemAt(
  source: YamlSource,
  where: readonly PropertyKey[] | { path: readonly PropertyKey[]; key: string },
  { message, expected, fix }: Problem,
): PlacedProblem {
  const { path, key } = 'key' in where ? where : { path: where, key: undefined };
  const place = source.place(path, key);
  return {
    ...{ path: key === undefined ? path : [...path, key], place, message: `${placeText(place)}: ${message}` },
    ...(expected !== undefined && { expected }),
    ...(fix !== undefined && { fix }),
  };
}

/** The problem of a word that is not one of the known ones. */
export function unknownWord(input: {
  word: string;
  kind: string;
  known: readonly string[];
  path: readonly PropertyKey[];
  source: YamlSource;
  fix?: string;
}): PlacedProblem {
  const meant = nearest(input.word, input.known);
  return problemAt(input.source, input.path, {
    message: `${pathText(input.path)}: "${input.word}" is not ${input.kind}`,
    expected: input.known.length === 0 ? 'none is defined' : `one of ${input.known.join(', ')}`,
    fix: meant === undefined ? (input.fix ?? 'use one of these') : `did you mean "${meant}"?`,
  });
}

function unknownKey(input: {
  key: string;
  known: readonly string[];
  path: readonly PropertyKey[];
  source: YamlSource;
}): PlacedProblem {
  const { key, known, path, source } = input;
  const meant = nearest(key, known);
  const where = path.length === 0 ? '' : ` in ${pathText(path)}`;
  return problemAt(
    source,
    { path, key },
    {
      message: `unknown key "${key}"${where}`,
      expected: known.length === 0 ? 'no key at all' : `the keys ${known.join(', ')}`,
      fix: meant === undefined ? `remove "${key}"` : `did you mean "${meant}"?`,
    },
  );
}

/** A key of a mapping whose keys its writer chooses. */
function wrongKey(path: readonly PropertyKey[], source: YamlSource, allowed: string | undefined): PlacedProblem {
  const key = String(path.at(-1));
  const parent = path.slice(0, -1);
  return problemAt(
    source,
    { path: parent, key },
    {
      message: `${JSON.stringify(key)} is no key for ${pathText(parent) || 'the file'}`,
      expected: allowed,
      fix: `rename ${JSON.stringify(key)}`,
    },
  );
}

/** How zod's message begins where a check of ours has no words of its own. */
const NO_WORDS = 'Invalid ';

function wrongValue(input: {
  issue: Issue;
  path: readonly PropertyKey[];
  found: unknown;
  source: YamlSource;
  allowed: string | undefined;
  example: string | undefined;
}): PlacedProblem {
  const { issue, path, found, source, example } = input;
  const name = pathText(path);
  const key = String(path.at(-1) ?? '');
  const at = (problem: Problem): PlacedProblem => problemAt(source, path, problem);
  const values = issue.code === 'invalid_value' ? issue.values.map(String) : [];
  const allowed = values.length > 0 ? `one of ${values.join(', ')}` : (input.allowed ?? issue.message);
  if (path.length === 0 && (found ?? null) === null)
    return at({ message: 'the file is empty', expected: allowed, fix: 'write it' });
  if (found === undefined || (found === null && issue.code === 'invalid_type')) {
    const state = found === null ? 'has no value' : 'is missing';
    const fix = `add \`${key}: ${example ?? '…'}\`${path.length > 1 ? ` under ${pathText(path.slice(0, -1))}` : ''}`;
    return at({ message: `${name} ${state}`, expected: allowed, fix });
  }
  const meant = typeof found === 'string' ? nearest(found, values) : undefined;
  const quote = `put it in quotes: \`${key}: "${source.typed(path) ?? shown(found)}"\``;
  const isUnquoted = issue.code === 'invalid_type' && issue.expected === 'string' && typeof found !== 'object';
  const fix =
    meant !== undefined
      ? `did you mean "${meant}"?`
      : isUnquoted
        ? quote
        : example === undefined
          ? `correct ${name || 'it'}`
          : `for example \`${key}: ${example}\``;
  const hasOwnWords = ['custom', 'invalid_format'].includes(issue.code) && !issue.message.startsWith(NO_WORDS);
  const why = hasOwnWords && issue.message !== allowed ? `: ${issue.message}` : '';
  return at({ message: `${name || 'the file'} is ${shown(withoutSecrets(key, found))}${why}`, expected: allowed, fix });
}

/** A value as a message may repeat it: of an address, what stands before `@` and after `?` or `#` may be a secret; so may a name of a key be the key, and a webhook all of it. */
function withoutSecrets(key: string, found: unknown): unknown {
  if (typeof found !== 'string') return found;
  if (key === 'webhook' || key.endsWith('_env')) return `… (${found.length} characters)`;
  if (key === 'base_url') return found.replace(/^([a-z+.-]*:\/\/)?.*@/is, '$1…@').replace(/([?#]).*$/s, '$1…');
  return found;
}

/** A union's issues: those of the alternative the writer came closest to. */
function flattenUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const depth = (issues: readonly Issue[]): number => Math.max(0, ...issues.map((inner) => inner.path.length));
  const isHit = (issues: readonly Issue[]): boolean =>
    depth(issues) > 0 || issues.some((inner) => inner.code === 'unrecognized_keys');
  const [closest] = [...issue.errors]
    .filter(isHit)
    .sort((one, other) => depth(other) - depth(one) || one.length - other.length);
  if (closest === undefined) return [issue];
  return closest.flatMap((inner) => flattenUnion({ ...inner, path: [...issue.path, ...inner.path] }));
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 80 ? text : `${text.slice(0, 77)}…`;
}
