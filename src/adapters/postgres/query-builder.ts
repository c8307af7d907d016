import { createRequire } from 'node:module';
import type * as Library from 'kysely';

/** Kysely as `npm run build` bundles it (packaging/query-builder.js says why). */
const BUNDLE = `../../..${import.meta.url.endsWith('.ts') ? '/dist' : ''}/vendor/kysely.cjs`;

/** What is used of it; types come from the library itself. */
export const { Kysely, PostgresDialect, sql } = createRequire(import.meta.url)(BUNDLE) as typeof Library;
export type Kysely<Tables> = Library.Kysely<Tables>;
