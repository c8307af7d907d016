import { allEnded } from '../../src/domain/all-ended.js';

/** Where keys come from, page by page; null at the end. Safe to call by several callers at once. */
export type NextKey<Key> = () => Promise<Key | null>;

/** Keys of a paged list in order; reads a page only when the one before is used up. */
export function pagedKeys<Key>(readPage: (after: Key | null) => Promise<Key[]>): NextKey<Key> {
  let page: Key[] = [];
  let after: Key | null = null;
  let isOver = false;
  let reading: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    try {
      page = await readPage(after);
      after = page.at(-1) ?? after;
      isOver = page.length === 0;
    } finally {
      reading = null;
    }
  };
  return async () => {
    while (page.length === 0 && !isOver) await (reading ??= read());
    return page.shift() ?? null;
  };
}

/**
 * Runs at most `width` at once until the keys are used up. Returns when everything under way has ended; the first error is
 * thrown only then, so that nothing is left running behind the caller's back.
 */
export async function inWindow<Key>(
  width: number,
  next: NextKey<Key>,
  run: (key: Key) => Promise<void>,
): Promise<void> {
  const keepBusy = async (): Promise<void> => {
    for (let key = await next(); key !== null; key = await next()) await run(key);
  };
  await allEnded(Array.from({ length: Math.max(1, width) }, keepBusy));
}
