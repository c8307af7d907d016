/**
 * Writes what the funnel has said of the studies into the datasheet. `dataset/funnel/datasheet.test.ts` compares both.
 *
 *   npx tsx bench/artisan/datasheet.ts && npx prettier --write docs/reference/datasets
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { committedSection } from '../../tasks/artisan/dataset/funnel/committed-section.js';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = join(ROOT, 'docs', 'reference', 'datasets', 'artisan.md');
const HEADING = '\n## Funnel\n';

void main();

async function main(): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const start = page.indexOf(HEADING) + HEADING.length;
  const section = await committedSection(join(ROOT, 'tasks', 'artisan'));
  await writeFile(PAGE, `${page.slice(0, start)}\n${section}\n${page.slice(page.indexOf('\n## ', start))}`);
}
