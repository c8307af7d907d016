/**
 * One of each group, then the second of each, until there are enough.
 * @returns them in the order in which they were given
 */
export function inTurn<Item extends { group: string }>(items: readonly Item[], limit: number): Item[] {
  const turns = new Map<string, number>();
  const placed = items.map((item, place) => {
    const turn = turns.get(item.group) ?? 0;
    turns.set(item.group, turn + 1);
    return { item, place, turn };
  });
  const first = placed.toSorted((one, other) => one.turn - other.turn || one.place - other.place).slice(0, limit);
  return first.toSorted((one, other) => one.place - other.place).map(({ item }) => item);
}
