/** An order of all nodes, or a cycle: nodes each of which comes before the next, the first again at the end. */
export type Ordered = { order: string[] } | { cycle: string[] };

/**
 * Kahn's order. Of the nodes that are free at a time the one that stands first in `nodes` comes next, so equal graphs
 * have equal orders. `before` gives what has to come before a node; names that are no nodes are passed over.
 */
export function topologicalOrder(nodes: readonly string[], before: (node: string) => readonly string[]): Ordered {
  const place = new Map(nodes.map((node, index) => [node, index]));
  const waits = nodes.map((node) => new Set(before(node).flatMap((other) => place.get(other) ?? [])));
  const next: number[][] = nodes.map(() => []);
  waits.forEach((others, index) => others.forEach((other) => next[other]?.push(index)));
  const left = waits.map((others) => others.size);
  const free = new MinHeap();
  left.forEach((count, index) => count === 0 && free.push(index));
  const order: number[] = [];
  for (let index = free.pop(); index !== undefined; index = free.pop()) {
    order.push(index);
    for (const follower of next[index] ?? []) {
      const count = (left[follower] ?? 0) - 1;
      left[follower] = count;
      if (count === 0) free.push(follower);
    }
  }
  const name = (index: number): string => nodes[index] ?? '';
  if (order.length === nodes.length) return { order: order.map(name) };
  return { cycle: cycleAmong(waits, left).map(name) };
}

/** Follows what is waited for, among the nodes that never got free, until one comes again. */
function cycleAmong(waits: readonly ReadonlySet<number>[], left: readonly number[]): number[] {
  const walked = new Set<number>();
  let at = left.findIndex((count) => count > 0);
  while (!walked.has(at)) {
    walked.add(at);
    at = [...(waits[at] ?? [])].filter((other) => (left[other] ?? 0) > 0).sort((a, b) => a - b)[0] ?? at;
  }
  const path = [...walked];
  return [at, ...path.slice(path.indexOf(at) + 1).reverse(), at];
}

/** Smallest number first. */
class MinHeap {
  private readonly values: number[] = [];

  push(value: number): void {
    const { values } = this;
    values.push(value);
    for (let at = values.length - 1; at > 0;) {
      const up = (at - 1) >> 1;
      if ((values[up] ?? 0) <= (values[at] ?? 0)) return;
      this.swap(up, at);
      at = up;
    }
  }

  pop(): number | undefined {
    const { values } = this;
    const top = values[0];
    const last = values.pop();
    if (last === undefined || values.length === 0) return top;
    values[0] = last;
    for (let at = 0; ;) {
      const least = [2 * at + 1, 2 * at + 2].reduce(
        (best, child) => (this.at(child) < this.at(best) ? child : best),
        at,
      );
      if (least === at) return top;
      this.swap(least, at);
      at = least;
    }
  }

  private at(index: number): number {
    return this.values[index] ?? Infinity;
  }

  private swap(one: number, other: number): void {
    const { values } = this;
    [values[one], values[other]] = [this.at(other), this.at(one)];
  }
}
