/**
 * Writes what the studies hold and what the funnel has said of them into the datasheet. `dataset/funnel/datasheet.test.ts` compares both.
 *
 *   npx tsx bench/artisan/datasheet.ts && npx prettier --write docs/reference/datasets
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { committedCells } from '../../tasks/artisan/dataset/cell-counts.js';
import { committedSection } from '../../tasks/artisan/dataset/funnel/committed-section.js';

const ROOT = join(import.meta.dirname, '..', '..');
const SUITE = join(ROOT, 'tasks', 'artisan');
const PAGE = join(ROOT, 'docs', 'reference', 'datasets', 'artisan.md');

void main();

async function main(): Promise<void> {
  const sections = { 'Cells and licences': await committedCells(SUITE), Funnel: await committedSection(SUITE) };
  const page = await readFile(PAGE, 'utf8');
  await writeFile(
    PAGE,
    Object.entries(sections).reduce((text, section) => withSection(text, section), page),
  );
}

/** The page with this text between a heading and the next. */
function withSection(page: string, [title, text]: readonly [string, string]): string {
  const heading = `\n## ${title}\n`;
  const at = page.indexOf(heading);
  if (at < 0) throw new Error(`${PAGE} has no section ${title}`);
  const start = at + heading.length;
  return `${page.slice(0, start)}\n${text}\n${page.slice(page.indexOf('\n## ', start))}`;
}
