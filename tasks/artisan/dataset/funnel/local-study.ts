import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../../../src/domain/text/content-hash.js';
import { linesOf } from '../make-tasks.js';
import { readPrinted } from '../paper.js';
import type { StudySource } from '../study-schema.js';
import type { ArtifactTree, TreeEntry } from './artifact-tree.js';
import { yamlFacts, type Fact, type StudyRecord, type TableRecord } from './study-record.js';

/** A study of the folder `dataset/tasks` as the funnel sees it: what its files say, with their lines, and its artifact out of the package. */
export async function localStudy(
  source: StudySource,
  release: ReadonlyMap<string, Buffer>,
  suiteFolder: string,
): Promise<{ record: StudyRecord; tree: ArtifactTree }> {
  const folder = join(suiteFolder, 'dataset', 'tasks');
  const factsOf = async (file: string): Promise<ReturnType<typeof yamlFacts>> =>
    yamlFacts(await readFile(join(folder, file), 'utf8'), file);
  const { at } = await factsOf(`${source.id}/study.yaml`);
  const title = at<string>('title');
  const tables = await Promise.all(
    source.tables.map(async (table) => {
      const file = `${source.id}/${table.id.slice(source.id.length + 1)}/table.yaml`;
      return {
        ...tableRecord(await factsOf(file), { source, release, table }),
        file,
        seconds: table.table.limits.seconds,
      };
    }),
  );
  const slowest = [...tables].sort((a, b) => b.seconds - a.seconds)[0];
  const record: StudyRecord = {
    id: source.id,
    about: [
      ...(title === null ? [] : [title]),
      ...tables.flatMap(({ caption }) => (caption === null ? [] : [caption])),
    ],
    track: at('reference'),
    // Journals and NIST give no badges.
    badges: null,
    address: at('package'),
    download: { isComplete: true },
    environment: at('image'),
    seconds:
      slowest === undefined
        ? null
        : {
            value: slowest.seconds,
            place: { file: slowest.file, line: null, match: `limits.seconds: ${slowest.seconds}` },
          },
    tables,
  };
  return { record, tree: treeOf(source, release) };
}

/** What is not in the package could not be had. */
function treeOf({ study }: StudySource, release: ReadonlyMap<string, Buffer>): ArtifactTree {
  return new Map(
    study.artifact.map(({ path, from, lines }): [string, TreeEntry] => {
      const bytes = release.get(from);
      if (bytes === undefined) return [path, { unreadable: `${from} is not in the package` }];
      return [path, lines === undefined ? bytes : Buffer.from(linesOf(bytes.toString('utf8'), lines))];
    }),
  );
}

function tableRecord(
  { at }: ReturnType<typeof yamlFacts>,
  {
    source,
    release,
    table,
  }: { source: StudySource; release: ReadonlyMap<string, Buffer>; table: StudySource['tables'][number] },
): TableRecord {
  const columns = at<Record<string, unknown>>('columns');
  const byChance = Object.entries(table.table.columns).find(([, { monte_carlo }]) => monte_carlo);
  const rows = at('rows');
  return {
    id: table.id,
    caption: at('caption'),
    columns: columns && { value: Object.keys(table.table.columns), place: columns.place },
    cells: rows && cellsOf(source, release, { table, place: rows.place }),
    data: source.study.artifact.filter(({ role }) => role === 'raw' || role === 'derived').map(({ path }) => path),
    intervals: byChance === undefined ? null : at('columns', byChance[0], 'monte_carlo'),
  };
}

/** Cells as the paper prints them; null where it is another paper, or a row is not found in it. */
function cellsOf(
  { study }: StudySource,
  release: ReadonlyMap<string, Buffer>,
  { table, place }: { table: StudySource['tables'][number]; place: Fact<unknown>['place'] },
): Fact<readonly string[]> | null {
  const paper = release.get(study.paper.from);
  if (paper === undefined || sha256Hex(paper) !== study.paper.sha256) return null;
  const [first] = study.paper.lines;
  const printed = readPrinted(linesOf(paper.toString('utf8'), study.paper.lines), table.table, {
    place: table.id,
    first,
  });
  if ('problems' in printed) return null;
  return { value: Object.values(printed.values).flatMap((row) => Object.values(row)), place };
}
