import { wilsonInterval, type Interval } from '../../domain/statistics/statistics.js';
import type { CountedTrials, FailureRule } from '../../suite/failures.js';
import { smallest, type Bucket, type Tally } from './failure-tally.js';

/** A rule whose threshold a system exceeds. */
export interface Recommendation {
  system: string;
  /** Its id. */
  rule: string;
  counts: CountedTrials;
  found: number;
  /** Failed trials of the system; where blame is counted, those that ended. */
  of: number;
  share: { value: number; interval: Interval | null };
  above: number;
  /** The interval lies above the threshold, and there are {@link FEWEST} trials at least. Else chance may have done it. */
  certain: boolean;
  advice: string;
  /** Ten of the trials at most. */
  trials: string[];
}

/** With fewer trials nothing is certain. */
export const FEWEST = 10;

/** What holds for every suite. */
const ENGINE_RULES: readonly FailureRule[] = [
  {
    ...{ id: 'no-candidate', counts: { stage: 'generate' }, above: 0.1 },
    advice:
      'candidates were not made whole: look at one with durabench show TRIAL; raise the system’s limits, or max_output_tokens where answers were cut',
  },
  {
    ...{ id: 'infrastructure', counts: { blame: 'infrastructure' }, above: 0.05 },
    advice:
      'trials are lost to the machine or the network, not to the system: durabench doctor, then durabench retry CAMPAIGN',
  },
  {
    ...{ id: 'judge', counts: { blame: 'judge' }, above: 0.05 },
    advice:
      'the judge gave no answer: raise max_output_tokens of its model or lower its reasoning_effort, then durabench retry CAMPAIGN',
  },
  {
    ...{ id: 'harness', counts: { blame: 'harness' }, above: 0 },
    advice: 'the harness failed: durabench show TRIAL, and report it as a bug; results of other trials hold',
  },
];

/** The rules, of the engine and a suite, whose share lies above their threshold; the certain ones first. */
export function recommendations(system: string, tally: Tally, rules: readonly FailureRule[]): Recommendation[] {
  return [...ENGINE_RULES, ...rules]
    .map(({ id: rule, counts, above, advice }): Recommendation => {
      const buckets = bucketsOf(tally, counts);
      const found = buckets.reduce((sum, { count }) => sum + count, 0);
      const of = 'blame' in counts ? tally.ended : tally.failed;
      const interval = wilsonInterval(found, of);
      return {
        ...{ system, rule, counts, found, of, above, advice },
        share: { value: of === 0 ? 0 : found / of, interval },
        certain: of >= FEWEST && interval !== null && interval.low > above,
        trials: smallest(buckets.flatMap(({ samples }) => samples)).map(({ trial }) => trial.id),
      };
    })
    .filter(({ share, above }) => share.value > above)
    .sort((one, other) => Number(other.certain) - Number(one.certain));
}

function bucketsOf({ classes, stages, blames }: Tally, counts: CountedTrials): readonly Bucket[] {
  if ('stage' in counts) return [stages.get(counts.stage) ?? []].flat();
  if ('blame' in counts) return [blames.get(counts.blame) ?? []].flat();
  const isCounted = (name: string | null): boolean =>
    name === counts.class || name?.startsWith(`${counts.class}.`) === true;
  return [...classes].flatMap(([name, bucket]) => (isCounted(name) ? [bucket] : []));
}
