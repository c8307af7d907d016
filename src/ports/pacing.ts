/** A moment before which nobody sends to a provider. */
export interface Hold {
  /** Endpoint and name of the key's variable; never the key. */
  provider: string;
  /** From now. */
  holdMs: number;
  /** For people: what the provider said. */
  reason: string;
  /** Who heard it. */
  worker: string;
}

/**
 * The pace that all workers of an installation keep with one provider key: what one of them is told, all obey. A store
 * that cannot be reached is `records.unavailable`.
 */
export interface Pacing {
  /** Milliseconds until requests may go out again, and why; 0 = now. */
  waitMs(provider: string): Promise<{ waitMs: number; reason: string }>;
  /** A later moment that stands already stays. */
  hold(hold: Hold): Promise<void>;
}
