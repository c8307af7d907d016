import { inject, vi } from 'vitest';
import { scaled } from './yardstick.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a test and of a hook, on an idle machine. */
    idleLimitMs: number;
  }
}

/** A limit is taken when its file is read, and load that comes afterwards must not end a test: that is for what hangs. */
const ROOM = 2;

// For each file anew: a run takes long, and its machine may be idle when it starts.
const limitMs = ROOM * scaled(inject('idleLimitMs'));
vi.setConfig({ testTimeout: limitMs, hookTimeout: limitMs });
