/**
 * The figures of the house (docs/concepts/architecture.md, "Imports"): what stands where, and who knows whom, each with its target.
 *
 *   npm run check:house
 *
 * With `--strict`, as there, it exits 1 while a target is missed.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { plainTable } from '../src/report/result-table.js';
import { READS_OLD_WORDS, RETIRED } from '../tests/fixtures/retired-words.js';

const MOST_FILES = 20;
const ENGINE = /^(src|workflows|activities)\//;
/** Words that one suite brought; its registry's lists name it. */
const SUITE_WORDS = /zerorepo|localized|vote_rate|repocraft/i;
/** One file after the other for ever: none is read but the last. */
const ONLY_GROWS = 'src/adapters/postgres/schema/migrations';

interface Figure {
  check: string;
  found: number;
  target: number;
  /** The first places. */
  places: string[];
}

/** Authored tasks are data. */
const DATA = /^tasks\/[^/]+\/dataset\/tasks\//;
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => !DATA.test(path));
const isTest = (path: string): boolean => /\.(test|conformance)\.ts$/.test(path);
const sources = tracked.filter((path) => /^(src|workflows|activities|tasks)\/.*\.ts$/.test(path) && !isTest(path));
const textOf = new Map(sources.map((path) => [path, readOrNothing(path)]));

const figures: Figure[] = [
  circles(),
  figure('folders of more than 20 source files, tests and bench too', 0, fullFolders()),
  figure(
    'lines of the engine that name a suite',
    0,
    linesOf((path) => ENGINE.test(path), SUITE_WORDS),
  ),
  figure('files of src that import tasks/', 2, importersOf(/^src\//, /tasks\/(?!.*\.json)/)),
  figure('files of src/cli that import adapters', 0, importersOf(/^src\/cli\//, /adapters\//)),
  figure('files of src/client that import the command line', 0, importersOf(/^src\/client\//, /\/cli\//)),
  figure(
    'lines with retired words',
    0,
    linesOf((path) => !READS_OLD_WORDS.includes(path), RETIRED),
  ),
];

const rows = figures.map(({ check, found, target, places }) => [
  check,
  String(found),
  `≤ ${target}`,
  found <= target ? '' : places.slice(0, 3).join('; '),
]);
process.stdout.write(`${plainTable(['check', 'found', 'target', 'places'], rows, ['left', 'right', 'right'])}\n`);
if (process.argv.includes('--strict') && figures.some(({ found, target }) => found > target)) process.exitCode = 1;

function figure(check: string, target: number, places: string[]): Figure {
  return { check, found: places.length, target, places };
}

/** Types included. */
function circles(): Figure {
  const args = ['depcruise', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'];
  const folders = ['src', 'workflows', 'activities', 'tasks'];
  const output = execFileSync('npx', [...args, ...folders], { encoding: 'utf8', maxBuffer: 256 * 1024 ** 2 });
  const { summary } = JSON.parse(output) as { summary: { violations: { rule: { name: string }; from: string }[] } };
  const found = summary.violations.filter(({ rule }) => rule.name === 'no-cycles').map(({ from }) => from);
  return figure('circles of imports', 0, found);
}

/** Unit tests stand beside what they test: there they do not count. */
function fullFolders(): string[] {
  const counted = tracked.filter((path) => /\.([cm]?js|ts)$/.test(path) && (/^tests\//.test(path) || !isTest(path)));
  const counts = new Map<string, number>();
  for (const path of counted) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > MOST_FILES && folder !== ONLY_GROWS)
    .map(([folder, count]) => `${folder} (${count})`);
}

function linesOf(isMeant: (path: string) => boolean, words: RegExp): string[] {
  return [...textOf].flatMap(([path, text]) =>
    isMeant(path)
      ? text
          .split('\n')
          .flatMap((line, at) => (words.test(line) && !/examples: \[/.test(line) ? [`${path}:${at + 1}`] : []))
      : [],
  );
}

function importersOf(from: RegExp, to: RegExp): string[] {
  return [...textOf].flatMap(([path, text]) => {
    const targets = [...text.matchAll(/from '([^']+)'|import\('([^']+)'\)/g)].map(
      ([, one, other]) => one ?? other ?? '',
    );
    return from.test(path) && targets.some((target) => to.test(target)) ? [path] : [];
  });
}

/** Nothing for what was deleted and not committed yet. */
function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
