import type { StageName } from '../../contract/stage.js';
import type { TrialRow } from '../../ports/records.js';

/** Trials that are kept of those which ended alike. */
const MOST_SAMPLES = 10;

/** Trials that ended alike: how many, and a few of them. */
export interface Bucket {
  count: number;
  /** Those with the smallest keys, in their order: the same whatever order they come in. */
  samples: { key: string; trial: TrialRow }[];
}

interface ClassBucket extends Bucket {
  groups: Map<string, number>;
  difficulties: Map<string, number>;
  stages: Map<string, number>;
}

/** The trials of a system that ended, added up. */
export interface Tally {
  /** Passed, failed and errored. */
  ended: number;
  failed: number;
  /** Of the failed ones; null: of no class. */
  classes: Map<string | null, ClassBucket>;
  /** Of the failed ones. */
  stages: Map<string, Bucket>;
  /** Of the errored ones. */
  blames: Map<string, Bucket>;
  /** @param keyOf decides which trials are kept; asked of those that failed or errored */
  add(trial: TrialRow, place: FailurePlace, keyOf: () => string): void;
}

/** What a failed trial counts under; null where it is not told. */
interface FailurePlace {
  class: string | null;
  stage: StageName | null;
  difficulty: string | null;
}

/** An empty one. */
export function createTally(): Tally {
  const tally: Tally = {
    ended: 0,
    failed: 0,
    classes: new Map(),
    stages: new Map(),
    blames: new Map(),
    add(trial, place, keyOf) {
      tally.ended += 1;
      if (trial.outcome === 'passed') return;
      const key = keyOf();
      if (trial.outcome === 'errored') {
        keep(entry(tally.blames, trial.blame ?? 'unknown', newBucket), trial, key);
        return;
      }
      tally.failed += 1;
      const own = entry(tally.classes, place.class, newClass);
      keep(own, trial, key);
      increase(own.groups, trial.group);
      if (place.difficulty !== null) increase(own.difficulties, place.difficulty);
      if (place.stage === null) return;
      increase(own.stages, place.stage);
      keep(entry(tally.stages, place.stage, newBucket), trial, key);
    },
  };
  return tally;
}

function keep(bucket: Bucket, trial: TrialRow, key: string): void {
  bucket.count += 1;
  if (bucket.samples.length >= MOST_SAMPLES && key > bucket.samples.at(-1)!.key) return;
  bucket.samples = smallest([...bucket.samples, { key, trial }]);
}

/** The ones that are kept of several. */
export const smallest = (samples: Bucket['samples']): Bucket['samples'] =>
  samples.sort((one, other) => (one.key < other.key ? -1 : 1)).slice(0, MOST_SAMPLES);

const newBucket = (): Bucket => ({ count: 0, samples: [] });
const newClass = (): ClassBucket => ({
  ...newBucket(),
  ...{ groups: new Map(), difficulties: new Map(), stages: new Map() },
});

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
}

const increase = (counts: Map<string, number>, name: string): void =>
  void counts.set(name, (counts.get(name) ?? 0) + 1);
