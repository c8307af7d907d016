import { markdownTable } from '../markdown-table.js';
import { CRITERIA } from './criteria.js';
import type { FunnelRow, StudyFunnel } from './funnel.js';

/** What one criterion leaves. */
export interface ChainLink {
  criterion: string;
  /** How many of those that were left until here it leaves out, and of how many it cannot tell: studies, or tables. */
  out: number;
  unknown: number;
  /** Left after it: studies, and the tables of them. A study whose every table is out is out. */
  studies: number;
  tables: number;
}

/** How many studies and tables are left after each criterion. */
export function chainOf(funnels: readonly StudyFunnel[]): { studies: number; tables: number; links: ChainLink[] } {
  let left = funnels.map(({ rows }) => ({ rows, tables: tablesOf(rows) }));
  const count = (): { studies: number; tables: number } => ({
    studies: left.length,
    tables: left.reduce((sum, { tables }) => sum + tables.length, 0),
  });
  const start = count();
  const links = CRITERIA.map(({ id, level }): ChainLink => {
    const asked = left.flatMap(({ rows, tables }) =>
      rows.filter(({ criterion, table }) => criterion === id && (table === null || tables.includes(table))),
    );
    const of = (verdict: FunnelRow['verdict']): FunnelRow[] => asked.filter((row) => row.verdict === verdict);
    const out = of('out');
    left =
      level === 'study'
        ? left.filter(({ rows }) => !out.some((row) => rows.includes(row)))
        : left
            .map(({ rows, tables }) => ({
              rows,
              tables: tables.filter((id) => !out.some((row) => row.table === id && rows.includes(row))),
            }))
            .filter(({ tables }) => tables.length > 0);
    return { criterion: id, out: out.length, unknown: of('unknown').length, ...count() };
  });
  return { ...start, links };
}

const tablesOf = (rows: readonly FunnelRow[]): string[] => [
  ...new Set(rows.flatMap(({ table }) => (table === null ? [] : [table]))),
];

/** Studies that went through one funnel, and what they are called. */
export interface ChainOfSet {
  title: string;
  funnels: readonly StudyFunnel[];
}

/** A chain that others have published. */
export interface PublishedChain {
  name: string;
  studies: number[];
  tables?: number[];
}

/** What the datasheet says of the funnel, in Markdown: both chains, reasons, overrides. */
export function funnelSection(sets: readonly ChainOfSet[], published: readonly PublishedChain[]): string {
  return [
    'Each criterion is a rule over the files of an artifact and what is known of its paper, and says `in`, `out` or `unknown` with the line that decided; what is not known (a failed download, a file that cannot be read, nothing stated) goes on, marked. The build runs them before it makes a task, and refuses what is out. Written by `bench/artisan/datasheet.ts`.',
    ...sets.map(({ title, funnels }) => `### ${title}\n\n${chainTable(funnels)}`),
    `### As published\n\n${publishedTable(published)}`,
    `### What is out, and what is not known\n\n${leftOut(sets.flatMap(({ funnels }) => funnels))}\n\n${reasonsTable(sets.flatMap(({ funnels }) => funnels))}`,
    `### Overrides\n\n${overridesTable(sets.flatMap(({ funnels }) => funnels))}`,
  ].join('\n\n');
}

function chainTable(funnels: readonly StudyFunnel[]): string {
  const { studies, tables, links } = chainOf(funnels);
  const rows = links.map(({ criterion, out, unknown, ...left }) => {
    const asks = CRITERIA.find(({ id }) => id === criterion)?.asks ?? '';
    return [`\`${criterion}\``, asks, ...[out, unknown, left.studies, left.tables].map(String)];
  });
  return markdownTable(
    ['criterion', 'asks', 'out', 'unknown', 'studies left', 'tables left'],
    [['', 'at the start', '', '', String(studies), String(tables)], ...rows],
  );
}

const publishedTable = (published: readonly PublishedChain[]): string =>
  markdownTable(
    ['chain', 'studies', 'tables'],
    published.map(({ name, studies, tables }) => [name, studies.join(' → '), tables?.join(' → ') ?? '–']),
  );

/** What the builds dropped, in numbers. */
function leftOut(funnels: readonly StudyFunnel[]): string {
  const start = chainOf(funnels);
  const end = start.links.at(-1) ?? start;
  const open = funnels.flatMap(({ rows }) => rows).filter(({ verdict }) => verdict !== 'in');
  const dropped = start.tables - end.tables;
  return `Tables dropped: ${dropped} of ${start.tables}. A build writes each verdict that is not \`in\` to \`datasets/artisan/STUDY-left-out.txt\` in the state folder: ${open.length} lines for these studies, by reason:`;
}

/** By criterion, verdict and reason: how many, and the first of them with the line that decided. */
function reasonsTable(funnels: readonly StudyFunnel[]): string {
  const all = funnels.flatMap(({ study, rows }) => rows.map((row) => ({ study, row })));
  const open = all.filter(({ row }) => row.verdict !== 'in');
  // Without the file that a reason begins with: it is told as a place.
  const whyOf = ({ row }: (typeof open)[number]): string => row.why.replace(/^\S+\.\w+ /, '');
  const keyOf = (each: (typeof open)[number]): string => `${each.row.verdict} ${whyOf(each)}`;
  const rows = CRITERIA.flatMap(({ id }) => {
    const own = open.filter(({ row }) => row.criterion === id);
    const keys = [...new Set(own.map(keyOf))].sort();
    return keys.flatMap((key) => {
      const cases = own.filter((each) => keyOf(each) === key);
      const [first] = cases;
      if (first === undefined) return [];
      const { verdict, table, evidence } = first.row;
      const [place] = evidence;
      const where = place === undefined ? '' : ` (${place.file}${place.line === null ? '' : `:${place.line}`})`;
      return [[`\`${id}\``, verdict, whyOf(first), String(cases.length), `\`${table ?? first.study}\`${where}`]];
    });
  });
  return rows.length === 0 ? 'Nothing.' : markdownTable(['criterion', 'verdict', 'why', 'how many', 'such as'], rows);
}

function overridesTable(funnels: readonly StudyFunnel[]): string {
  const rows = funnels.flatMap(({ study, rows }) =>
    rows.flatMap(({ criterion, table, verdict, override }) =>
      override === undefined
        ? []
        : [
            [
              `\`${table ?? study}\``,
              `\`${criterion}\``,
              `${override.rule} → ${verdict}`,
              override.reason,
              override.reviewer,
            ],
          ],
    ),
  );
  return rows.length === 0 ? 'None.' : markdownTable(['of', 'criterion', 'rule → person', 'reason', 'reviewer'], rows);
}
