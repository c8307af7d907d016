import { z } from 'zod';
import { CELL_TYPES } from '../judge/cell.js';
import { ARTISAN_LIMITS } from '../suite.js';

/** What a file of an artifact is: `result` holds values that are asked for; `derived` was made from `raw` by `code`. */
const ROLES = ['code', 'raw', 'derived', 'result'] as const;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is no sha-256');
const path = z.string().regex(/^(?!\/)(?!.*\.\.)[\w./-]+$/, 'is no relative path of letters, digits and ./-_');
/** First and last line, from 1. */
const lines = z
  .tuple([z.int().min(1), z.int().min(1)])
  .refine(([first, last]) => first <= last, { message: 'ends before it begins' });
const seed = z.int().min(1);
const field = z.int().min(1);

/** One change of one file; fields are counted from 1, the first line is its header. */
const alteration = z.union([
  z.strictObject({ file: path, drop: z.int().min(1), seed }),
  z.strictObject({ file: path, swap: z.strictObject({ field, share: z.number().gt(0).max(1) }), seed }),
  z.strictObject({
    ...{ file: path, seed },
    jitter: z.strictObject({ field, by: z.number().gt(0), decimals: z.int().min(0).max(12) }),
  }),
]);

export type Alteration = z.infer<typeof alteration>;

/** `study.yaml`. */
export const studySchema = z.strictObject({
  title: z.string().min(10),
  /** Who published it, and where. */
  reference: z.string().min(10),
  licence: z.string().min(10),
  /** Recipe of the image that scripts run in. */
  image: z.string().regex(/^artisan-[a-z0-9-]+$/, 'is no image recipe artisan-…'),
  /** The file of a Python package index that paper and artifact come from. */
  package: z.strictObject({ name: z.string(), version: z.string(), file: z.string().endsWith('.whl'), sha256 }),
  /** Where the printed tables stand: a file of the package, and those of its lines that are shown, masked. */
  paper: z.strictObject({ from: z.string(), sha256, lines }),
  artifact: z.array(z.strictObject({ path, role: z.enum(ROLES), from: z.string(), lines: lines.optional() })).min(1),
  /** Id → how the data is altered. */
  twins: z
    .record(z.string().regex(/^[a-z][a-z0-9-]*$/), z.array(alteration).min(1))
    .refine((twins) => Object.keys(twins).length >= 2, { message: 'has fewer than two twins' }),
});

export type StudySpec = z.infer<typeof studySchema>;

/** `table.yaml`. */
export const tableSchema = z.strictObject({
  caption: z.string().min(10),
  /** Key → what its cells hold. */
  columns: z
    .record(
      z.string().min(1),
      z.strictObject({
        type: z.enum(CELL_TYPES),
        /** So many digits are asked for, where more are printed. */
        significant: z.int().min(2).max(15).optional(),
        means: z.string().optional(),
      }),
    )
    .refine((columns) => Object.keys(columns).length > 0, { message: 'is empty' }),
  /** Key → where its values stand in the paper: those behind the anchor, a regular expression that fits one line. */
  rows: z.record(
    z.string().min(1),
    z.strictObject({
      anchor: z.string().min(1),
      cells: z.array(z.string()).min(1),
      /** Of the cells, those that are told. */
      given: z.array(z.string()).default([]),
    }),
  ),
  best: z.enum(['full', 'last-mile']).default('full'),
  limits: z
    .strictObject({
      seconds: z.int().min(1).max(ARTISAN_LIMITS.script.wallSeconds).default(120),
      memory_mib: z
        .int()
        .min(64)
        .max(ARTISAN_LIMITS.script.memoryBytes / 1024 ** 2)
        .default(1024),
    })
    .prefault({}),
});

export type TableSpec = z.infer<typeof tableSchema>;

/** A study as it is authored: what its folder holds. */
export interface StudySource {
  id: string;
  study: StudySpec;
  tables: {
    id: string;
    table: TableSpec;
    /** The script that is known to compute the table. */
    reference: string;
    /** Name → a script that prints the table without computing it. */
    copies: Record<string, string>;
  }[];
}
