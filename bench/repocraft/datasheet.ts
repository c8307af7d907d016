/**
 * Writes what the locks count into the pages that tell it: the table of the datasheet, and the categories with the leaves they
 * stand for. `dataset/lock/dataset-lock.test.ts` compares both.
 *
 *   npx tsx bench/repocraft/datasheet.ts && npx prettier --write docs/reference/datasets
 *
 * Prints of each project its tasks and the share of its largest file.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTaxonomy } from '../../tasks/repocraft/coverage/taxonomy.js';
import { readLock, type DatasetLock } from '../../tasks/repocraft/dataset/lock/dataset-lock.js';
import { BENCHMARK_PROJECTS } from '../../tasks/repocraft/dataset/project-settings.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SUITE = join(ROOT, 'tasks', 'repocraft');
const PAGES = join(ROOT, 'docs', 'reference', 'datasets');

void main();

async function main(): Promise<void> {
  const locks = await Promise.all(BENCHMARK_PROJECTS.map((project) => readLock(project, SUITE)));
  await rewrite('repocraft.md', (page) => {
    const start = page.indexOf('|', page.indexOf('\n## Counts'));
    return page.slice(0, start) + countsOf(locks) + page.slice(page.indexOf('\n\n', start));
  });
  for (const lock of locks) {
    const section = await sectionOf(lock);
    await rewrite('repocraft-taxonomy.md', (page) => {
      const start = page.indexOf(`\n## ${lock.project}\n`) + `\n## ${lock.project}\n`.length;
      const next = page.indexOf('\n## ', start);
      const name = /leaves of (\S+) have/.exec(page.slice(start))?.[1] ?? '';
      return page.slice(0, start) + section.replace('TREE', name) + (next === -1 ? '' : page.slice(next));
    });
    const [file, most] = [...tally(lock.tasks.map(({ file }) => file))].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
    const share = Math.round((100 * most) / lock.tasks.length);
    console.log(`${lock.project}: ${lock.tasks.length} tasks, ${share} % of ${file}`);
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
