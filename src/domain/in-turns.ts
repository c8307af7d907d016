import { allEnded } from './all-ended.js';

/**
 * Does the work of every item, so many at once, in their order. Where one fails, those under way end, no further one is begun, and
 * its failure is thrown.
 */
export async function inTurns<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const turns = items.entries();
  let hasFailed = false;
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of turns) {
      if (hasFailed) return;
      await work(item, index).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await allEnded(Array.from({ length: atOnce }, takeTurns));
}
