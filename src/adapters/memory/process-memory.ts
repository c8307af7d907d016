import { LRUCache } from 'lru-cache';
import type { Made, Memory } from '../../ports/memory.js';

/** Indexes of a dozen large libraries; parsed they occupy a few times as much. */
const MOST_BYTES = 96 * 1024 * 1024;

/** Keeps values in this process, at most `mostBytes` of them; what was not asked for the longest goes first. */
export function createProcessMemory({ mostBytes = MOST_BYTES }: { mostBytes?: number } = {}): Memory {
  const kept = new LRUCache<string, object>({ maxSize: mostBytes });
  const beingMade = new Map<string, Promise<object>>();

  async function makeAndKeep<Value extends object>(key: string, make: () => Promise<Made<Value>>): Promise<Value> {
    const { value, bytes } = await make();
    kept.set(key, value, { size: Math.max(1, Math.round(bytes)) });
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
