/**
 * Writes what the locks count into the pages that tell it: the tables of the datasheet, and the categories with the leaves they
 * stand for. `dataset/lock/dataset-lock.test.ts` compares both.
 *
 *   npx tsx bench/repocraft/datasheet.ts && npx prettier --write docs/reference/datasets
 *
 * Prints of each project its files, each with its tasks; the datasheet names the largest. Reads the committed locks and nothing else.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTaxonomy } from '../../tasks/repocraft/coverage/taxonomy.js';
import { readLock, type DatasetLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { BENCHMARK_PROJECTS } from '../../tasks/repocraft/dataset/project-settings.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SUITE = join(ROOT, 'tasks', 'repocraft');
/** Files that the datasheet names of a project. */
const NAMED_FILES = 5;
const PAGES = join(ROOT, 'docs', 'reference', 'datasets');

void main();

async function main(): Promise<void> {
  const locks = await Promise.all(BENCHMARK_PROJECTS.map((project) => readLock(project, SUITE)));
  await rewrite('repocraft.md', (page) => {
    const start = page.indexOf('|', page.indexOf('\n## Counts'));
    return page.slice(0, start) + countsOf(locks) + page.slice(page.indexOf('\n\n', start));
  });
  await rewrite('repocraft.md', (page) => {
    const start = page.indexOf('|', page.indexOf('\n## Tasks by file'));
    return page.slice(0, start) + filesOf(locks) + page.slice(page.indexOf('\n\n', start));
  });
  for (const lock of locks) {
    const section = await sectionOf(lock);
    await rewrite('repocraft-taxonomy.md', (page) => {
      const start = page.indexOf(`\n## ${lock.project}\n`) + `\n## ${lock.project}\n`.length;
      const next = page.indexOf('\n## ', start);
      const name = /leaves of (\S+) have/.exec(page.slice(start))?.[1] ?? '';
      return page.slice(0, start) + section.replace('TREE', name) + (next === -1 ? '' : page.slice(next));
    });
    console.log(`${lock.project}: ${lock.tasks.length} tasks`);
    for (const [file, tasks] of byFile(lock)) console.log(`  ${tasks} ${file}`);
  }
}

async function rewrite(name: string, change: (page: string) => string): Promise<void> {
  const path = join(PAGES, name);
  await writeFile(path, change(await readFile(path, 'utf8')));
}

function countsOf(locks: readonly DatasetLock[]): string {
  const row = (title: string, of: (lock: DatasetLock) => number): string => {
    const counts = locks.map(of);
    return `| ${[title, ...[...counts, sum(counts)].map((count) => count.toLocaleString('en'))].join(' | ')} |`;
  };
  const rules = [...new Set(locks.flatMap(({ counts }) => Object.keys(counts.dropped)))].sort();
  return [
    `| ${['', ...BENCHMARK_PROJECTS, 'all'].join(' | ')} |`,
    `| ${Array.from({ length: BENCHMARK_PROJECTS.length + 2 }, () => '---').join(' | ')} |`,
    row('harvested', ({ counts }) => counts.harvested),
    ...rules.map((rule) => row(`\`${rule}\``, ({ counts }) => counts.dropped[rule] ?? 0)),
    row('not sampled', ({ counts }) => counts.notSampled),
    row('kept', ({ counts }) => counts.functions),
    row('**tasks**', ({ tasks }) => tasks.length),
    row('categories', ({ tasks }) => new Set(tasks.map(({ category }) => category)).size),
    ...(['easy', 'medium', 'hard'] as const).map((level) =>
      row(level, ({ tasks }) => tasks.filter(({ difficulty }) => difficulty === level).length),
    ),
  ].join('\n');
}

/** A row a project: its files, the largest of them by name, the others by their number. */
function filesOf(locks: readonly DatasetLock[]): string {
  const rows = locks.map((lock) => {
    const files = byFile(lock);
    const [named, rest] = [files.slice(0, NAMED_FILES), files.slice(NAMED_FILES).map(([, tasks]) => tasks)];
    const others = rest.length === 0 ? 'none' : `${rest.length} with ${sum(rest)}, at most ${rest[0]} each`;
    const largest = named.map(([file, tasks]) => `\`${file}\` ${tasks}`).join(', ');
    return `| ${[lock.project, files.length, largest, others].join(' | ')} |`;
  });
  return ['| project | files | tasks of the largest | the others |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** Files with their tasks, most tasks first. */
const byFile = ({ tasks }: DatasetLock): [file: string, tasks: number][] =>
  [...tally(tasks.map(({ file }) => file))].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));

async function sectionOf({ project, tasks }: DatasetLock): Promise<string> {
  const taxonomy = await readTaxonomy(SUITE, project);
  if (taxonomy === null) throw new TypeError(`no taxonomy of ${project}`);
  const categories = [...tally(tasks.map(({ category }) => category))].sort(([a], [b]) => (a < b ? -1 : 1));
  const placed = new Set(categories.flatMap(([category]) => taxonomy.leavesOf(category)));
  const without = taxonomy.leaves.filter((leaf) => !placed.has(leaf));
  const homeless = categories.filter(([category]) => taxonomy.leavesOf(category).length === 0);
  const names = homeless.length === 0 ? '' : ` (${homeless.map(([category]) => category).join(', ')})`;
  const count = `${taxonomy.leaves.length - without.length} of ${taxonomy.leaves.length} leaves of TREE have a task`;
  const rest = `${sum(homeless.map(([, tasks]) => tasks))} tasks stand for none${names}`;
  const missing = without.length === 0 ? '' : ` Without a task: ${without.join('; ')}.`;
  return `\n${categories.map(([category, tasks]) => `${category} ${tasks}`).join(', ')}\n\n${count}; ${rest}.${missing}\n`;
}

function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
