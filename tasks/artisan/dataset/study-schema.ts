import { z } from 'zod';
import { CELL_TYPES } from '../judge/cell.js';
import { ARTISAN_LIMITS } from '../suite.js';

/** What a file of an artifact is: `result` holds values that are asked for; `derived` was made from `raw` by `code`. */
const ROLES = ['code', 'raw', 'derived', 'result'] as const;

/** What is described here, messages say to whoever writes a study. */
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('a sha-256: 64 hex digits');
const path = z
  .string()
  .regex(/^(?!\/)(?!.*\.\.)[\w./-]+$/)
  .describe('a relative path of letters, digits and ./-_');
const lines = z
  .tuple([z.int().min(1), z.int().min(1)])
  .refine(([first, last]) => first <= last)
  .describe('the first and the last line, from 1');
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

/** The file of a Python package index that paper and artifact come from. */
const wheel = z.strictObject({
  name: z.string(),
  version: z.string(),
  file: z.string().endsWith('.whl').describe('a name that ends in .whl'),
  sha256,
});

const image = z
  .string()
  .regex(/^artisan-[a-z0-9-]+$/)
  .describe('an image recipe artisan-…');

/** `study.yaml`. */
export const studySchema = z.strictObject({
  title: z.string().min(10),
  /** Who published it, and where. */
  reference: z.string().min(10),
  licence: z.string().min(10),
  /** Recipe of the image that scripts run in. */
  image,
  /** What paper and artifact come from: a wheel, or what `extract.sh` beside this file leaves in `out` in an image of Debian packages. */
  package: z
    .union([wheel, z.strictObject({ library: image })])
    .describe('a wheel (name, version, file, sha256), or { library: an image recipe }'),
  /** Where the printed tables stand: a file of the package, and those of its lines that are shown, masked. */
  paper: z.strictObject({ from: z.string(), sha256, lines }),
  artifact: z.array(z.strictObject({ path, role: z.enum(ROLES), from: z.string(), lines: lines.optional() })).min(1),
  /** Id → how the data is altered. */
  twins: z
    .record(
      z
        .string()
        .regex(/^[a-z][a-z0-9-]*$/)
        .describe('an id of small letters, digits and -'),
      z.array(alteration).min(1),
    )
    .refine((twins) => Object.keys(twins).length >= 2)
    .describe('two twins or more, each with its alterations'),
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
        /** Chance has a hand in it: right is what falls where runs of the reference with other seeds fall. */
        monte_carlo: z.boolean().default(false),
      }),
    )
    .refine((columns) => Object.keys(columns).length > 0)
    .describe('a column or more, each with its type'),
  /** Key → where its values stand in the paper: those behind the anchor, a regular expression that fits one line. */
  rows: z.record(
    z.string().min(1),
    z.strictObject({
      anchor: z.string().min(1),
      /** Of several lines that it fits, which: from 1. */
      nth: z.int().min(1).optional(),
      cells: z.array(z.string()).min(1),
      /** Of the cells, those that are told. */
      given: z.array(z.string()).default([]),
    }),
  ),
  /** Where the anchors are looked for: lines of the file that the paper is; all that are shown where it is left out. */
  lines: lines.optional(),
  /** Cells that the artifact gives otherwise than the paper prints them: its value is asked for. */
  disagreements: z
    .array(
      z.strictObject({
        row: z.string(),
        column: z.string(),
        /** `artifact-differs`: data or code are another version; `transcription`: a slip of the paper; `artifact-error`: a bug of the code. */
        reason: z.enum(['artifact-differs', 'transcription', 'rounding', 'artifact-error']),
        evidence: z.string().min(20),
        reviewer: z.string().min(2),
      }),
    )
    .default([]),
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

/** Tells a wheel from what is extracted. */
export type Wheel = z.infer<typeof wheel>;

export type TableSpec = z.infer<typeof tableSchema>;

/** A study as it is authored: what its folder holds. */
export interface StudySource {
  id: string;
  study: StudySpec;
  /** `extract.sh`: leaves paper and artifact in `out`; null where they come from a wheel. */
  extract: string | null;
  tables: {
    id: string;
    table: TableSpec;
    /** The script that is known to compute the table. */
    reference: string;
    /** Name → a script that prints the table without computing it. */
    copies: Record<string, string>;
  }[];
}
