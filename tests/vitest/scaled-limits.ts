import { inject, vi } from 'vitest';
import { scaled } from './yardstick.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a test and of a hook, on an idle machine. */
    idleLimitMs: number;
  }
}

// For each file anew: a run takes long, and its machine may be idle when it starts.
const limitMs = scaled(inject('idleLimitMs'));
vi.setConfig({ testTimeout: limitMs, hookTimeout: limitMs });
