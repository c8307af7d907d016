import type { Interval } from './statistics.js';

/** How an interval was computed, so that somebody else gets the same. */
export interface IntervalMethod {
  /**
   * `wilson`: score interval over tasks; `task-bootstrap`: tasks drawn anew; `clustered-t`: groups as clusters; `group-t`: over groups,
   * each of which counts once.
   */
  name: 'wilson' | 'task-bootstrap' | 'clustered-t' | 'group-t';
  level: 0.95;
  /** Tasks it is over; of `clustered-t` and `group-t` groups. */
  units: number;
  /** Null where nothing is drawn. */
  resamples: number | null;
  seed: number | null;
}

/** A number one can publish. */
export interface Figure {
  /** 0..1; of a difference −1..1. */
  value: number;
  interval: Interval | null;
  method: IntervalMethod;
}
