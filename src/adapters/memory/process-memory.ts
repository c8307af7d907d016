import { LRUCache } from 'lru-cache';
import type { Made, Memory } from '../../ports/memory.js';
import { heapBytes } from './heap-bytes.js';

/**
 * With the rest of a worker (150 MiB) and the garbage of reading an index it keeps a worker that has seen any number of
 * libraries below 1 GiB (bench/engine/worker-memory.ts).
 */
const MOST_BYTES = 256 * 1024 * 1024;

/** Keeps values in this process, at most `mostBytes` of them as they lie in memory; what was not asked for the longest goes first. */
export function createProcessMemory({ mostBytes = MOST_BYTES }: { mostBytes?: number } = {}): Memory {
  const kept = new LRUCache<string, object>({ maxSize: mostBytes });
  const beingMade = new Map<string, Promise<object>>();

  async function makeAndKeep<Value extends object>(key: string, make: () => Promise<Made<Value>>): Promise<Value> {
    const { value, derivedBytes = 0 } = await make();
    kept.set(key, value, { size: Math.max(1, Math.round(heapBytes(value) + derivedBytes)) });
    return value;
  }

  return {
    async keep<Value extends object>(key: string, make: () => Promise<Made<Value>>): Promise<Value> {
      const known = kept.get(key);
      if (known !== undefined) return known as Value;
      const begun = beingMade.get(key);
      if (begun !== undefined) return (await begun) as Value;
      const making = makeAndKeep(key, make).finally(() => beingMade.delete(key));
      beingMade.set(key, making);
      return making;
    },
  };
}
