import { readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Problem } from '../../../../src/contract/problem.js';
import { UserError } from '../../../../src/domain/failure/user-error.js';
import { parsedJson } from '../../../../src/domain/text/parsed-json.js';
import { maskOf } from './released-mask.js';
import { LEFT_OUT, metadataSchema, type ReleasedPaper } from './release-schema.js';

/** Tables and papers are texts of some KiB. */
const MOST_MIB = 4;

/** A table of the published benchmark that is a task. */
export interface ReleasedTable {
  /** `rust-t1`, as its publishers call it. */
  id: string;
  paper: ReleasedPaper;
  table: string;
  best: 'full' | 'last-mile';
  /** GiB of memory; null where nobody says. */
  memoryGib: number | null;
  /** Markdown, as the paper prints it. */
  printed: string;
  /** What is asked for: another table where paper and artifact disagree, or where only a part of it can be reproduced. */
  expected: string;
  /** Why `expected` is not `printed`; null where it is. */
  differs: 'inconsistency' | 'partial' | null;
  /** `expected` with `?` for hidden digits, and whose mask it is; null where it is no Markdown table. */
  mask: { text: string; by: 'release' | 'rule' } | null;
  /** Text of the paper without hidden values; null where the release has none. */
  text: string | null;
}

/** The benchmark as its publishers released it. */
export interface Release {
  papers: readonly ReleasedPaper[];
  tables: readonly ReleasedTable[];
  /** Tables that its publishers left out, by reason. */
  leftOut: { id: string; reason: (typeof LEFT_OUT)[number] }[];
}

/**
 * Reads the released form: `metadata.json`, `tables/ID_table_N.md` with `tables/{inconsistencies,partial,obfuscated}/`, and
 * `papers/obfuscated/ID_paper_N.md`.
 * @param folder a checkout of the release, or its folder `artisanbench`
 * @throws UserError with everything that is wrong with it
 */
export async function readRelease(folder: string): Promise<Release> {
  const problems: Problem[] = [];
  const { papers, root } = await readMetadata(folder);
  const twice = papers.map((paper) => paper.id).filter((id, index, all) => all.indexOf(id) !== index);
  problems.push(...twice.map((id) => wrong('metadata.json', `the paper ${id} stands twice`)));
  const leftOut: Release['leftOut'] = [];
  const tables: ReleasedTable[] = [];
  for (const paper of papers) {
    for (const [number, said] of Object.entries(paper.tables)) {
      const id = `${paper.id}-t${number}`;
      const reason = LEFT_OUT.find((each) => said[each]);
      if (reason !== undefined) leftOut.push({ id, reason });
      else {
        const read = await readTable(root, { id, paper, number, said }, problems);
        if (read !== null) tables.push(read);
      }
    }
  }
  if (problems.length > 0) throw new UserError('usage', problems);
  return { papers, tables, leftOut };
}

async function readMetadata(folder: string): Promise<{ papers: ReleasedPaper[]; root: string }> {
  for (const root of [folder, join(folder, 'artisanbench')]) {
    const problems: Problem[] = [];
    const text = await readReleased(root, 'metadata.json', problems);
    if (problems.length > 0) throw new UserError('usage', problems);
    if (text === null) continue;
    const parsed = metadataSchema.safeParse(parsedJson(text));
    if (parsed.success) return { papers: parsed.data, root };
    const found = parsed.error.issues.map(({ path, message }) =>
      wrong('metadata.json', `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`),
    );
    throw new UserError('usage', found);
  }
  throw new UserError('usage', {
    message: `${folder} holds no metadata.json, and no artisanbench/metadata.json`,
    expected: 'a checkout of the published benchmark',
    fix: 'clone it first, as docs/reference/datasets/artisan-published.md says',
  });
}

/**
 * Text of a file of the release, null where it is not there. The release is of others: a link of it may lead anywhere, and
 * what it leads to would be kept as the text of a task.
 */
async function readReleased(root: string, path: string, problems: Problem[]): Promise<string | null> {
  const place = await realpath(join(root, path)).catch(() => null);
  if (place === null) return null;
  const refuse = (what: string): null => {
    problems.push(wrong(path, what));
    return null;
  };
  if (!place.startsWith(`${await realpath(root)}${sep}`)) return refuse('leads out of the release');
  const found = await stat(place);
  if (!found.isFile()) return refuse('is no file');
  if (found.size > MOST_MIB * 1024 ** 2) return refuse(`has more than ${MOST_MIB} MiB`);
  return readFile(place, 'utf8');
}

async function readTable(
  root: string,
  {
    id,
    paper,
    number,
    said,
  }: { id: string; paper: ReleasedPaper; number: string; said: ReleasedPaper['tables'][string] },
  problems: Problem[],
): Promise<ReleasedTable | null> {
  const name = `${paper.id}_table_${number}.md`;
  const unread: Problem[] = [];
  const [printed, inconsistency, partial, released, text] = await Promise.all(
    [
      `tables/${name}`,
      `tables/inconsistencies/${name}`,
      `tables/partial/${name}`,
      `tables/obfuscated/${name}`,
      `papers/obfuscated/${paper.id}_paper_${number}.md`,
    ].map((path) => readReleased(root, path, unread)),
  );
  const kind = said['repro-kind'];
  const found = [
    ...unread,
    ...(kind === undefined ? [wrong('metadata.json', `${id} has no repro-kind`)] : []),
    ...(printed === null && unread.length === 0 ? [wrong(`tables/${name}`, 'is missing')] : []),
    ...(inconsistency !== null && partial !== null
      ? [wrong(`tables/${name}`, 'has a table in inconsistencies and another in partial')]
      : []),
  ];
  problems.push(...found);
  if (found.length > 0 || printed === null || printed === undefined) return null;
  const expected = inconsistency ?? partial ?? printed;
  return {
    ...{ id, paper, table: number, printed, expected, mask: maskOf(expected, released ?? null) },
    best: kind === 'full' ? 'full' : 'last-mile',
    memoryGib: said.memory_gib ?? null,
    differs: inconsistency !== null ? 'inconsistency' : partial !== null ? 'partial' : null,
    text: text ?? null,
  };
}

/** A problem of a released file, in three lines. */
const wrong = (place: string, what: string): Problem => ({
  message: `${place}: ${what}`,
  expected: 'the release as it was published',
  fix: 'check the release out again',
});
