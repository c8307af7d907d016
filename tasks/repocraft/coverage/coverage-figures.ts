import type { TrialRow } from '../../../src/ports/records.js';

/** Beginning of the metrics that say which leaves a trial is about: 1 where something was planned for the leaf, or coded. */
export const LEAF_METRIC = 'taxonomy_leaf_';

/** The same by code alone, beside those of a plan. */
export const CODE_LEAF_METRIC = 'code_leaf_';

/** Coverage of a taxonomy and novelty by one method; null where it was not used. */
interface ByMethod {
  /** Leaves with at least one feature of the plan, of all leaves; null without a plan. */
  planned: number | null;
  /** Leaves with at least one public definition of the candidate, of all leaves. */
  byCode: number | null;
  /** Features of the plan outside the taxonomy, of all of them; reported, never optimised. */
  novelty: number | null;
  /** Public definitions outside it, of all of them. */
  noveltyByCode: number | null;
}

/**
 * Features that two methods both placed, and those of them that lie at the same leaf, or outside, by both; null where one of the
 * methods was not used, or where that was not counted.
 */
interface MethodAgreement {
  features: number | null;
  agreed: number | null;
  share: number | null;
  /** Cohen's, over leaves and outside; null also where chance alone would agree always. */
  kappa: number | null;
}

/** The methods two by two. The judge's are over the features that it said something of. */
export type MethodPair = 'nearestAndClusters' | 'nearestAndJudge' | 'clustersAndJudge';
type AgreementByPair = Record<MethodPair, MethodAgreement>;

/** Where a system's plans and candidates lie in the taxonomy of a project, on average over repeats. */
export interface Coverage extends ByMethod {
  /** Leaves with a feature (of the plan; without one, of the code) and a passed task mapped to them, of all leaves; null without a map of categories. */
  implemented: number | null;
  /** The same, of the leaves that the graded tasks are about: the others cannot be reached. */
  implementedReachable: number | null;
  /** Leaves that the purpose its systems were told names, of all leaves: above a tenth it hands out what is measured. */
  told: number | null;
  /** Novelty of the planned features that were made. */
  noveltyMade: number | null;
  /** By clusters around the leaves, as the paper begins. `agreement`: share of features at the same leaf as by the nearest one. */
  clusters: ByMethod & { agreement: number | null };
  /** After a judge moved what was wrong, as the paper ends. */
  judged: ByMethod;
  /** How far these agree on the features of the plan, and on those of the code. */
  agreement: Record<'plan' | 'code', AgreementByPair>;
}

type Metrics = TrialRow['metrics'];

/** Of the trials of one project; every trial carries the counts of its candidate. Null where nothing was counted. */
export function coverageFigures(trials: readonly TrialRow[]): Coverage | null {
  const counted = trials.filter(({ metrics }) => metrics.taxonomy_leaves != null);
  const repeats = [...new Set(counted.map(({ repeat }) => repeat))];
  return meanCoverage(repeats.map((repeat) => ofRepeat(counted.filter((trial) => trial.repeat === repeat))));
}

/** The plain mean of each figure over those that have it. */
export function meanCoverage(all: readonly Coverage[]): Coverage | null {
  if (all.length === 0) return null;
  const over = (of: (coverage: Coverage) => number | null): number | null => {
    const known = all.flatMap((coverage) => of(coverage) ?? []);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  const method = (of: (coverage: Coverage) => ByMethod): ByMethod => ({
    planned: over((coverage) => of(coverage).planned),
    byCode: over((coverage) => of(coverage).byCode),
    novelty: over((coverage) => of(coverage).novelty),
    noveltyByCode: over((coverage) => of(coverage).noveltyByCode),
  });
  const agreement = (of: 'plan' | 'code'): AgreementByPair => {
    const pair = (name: MethodPair): MethodAgreement => {
      const figure = (which: keyof MethodAgreement) => over((coverage) => coverage.agreement[of][name][which]);
      return { features: figure('features'), agreed: figure('agreed'), share: figure('share'), kappa: figure('kappa') };
    };
    return {
      nearestAndClusters: pair('nearestAndClusters'),
      nearestAndJudge: pair('nearestAndJudge'),
      clustersAndJudge: pair('clustersAndJudge'),
    };
  };
  return {
    ...method((coverage) => coverage),
    implemented: over((coverage) => coverage.implemented),
    implementedReachable: over((coverage) => coverage.implementedReachable),
    told: over((coverage) => coverage.told),
    noveltyMade: over((coverage) => coverage.noveltyMade),
    clusters: { ...method(({ clusters }) => clusters), agreement: over(({ clusters }) => clusters.agreement) },
    judged: method(({ judged }) => judged),
    agreement: { plan: agreement('plan'), code: agreement('code') },
  };
}

function ofRepeat(trials: readonly TrialRow[]): Coverage {
  const metrics: Metrics = trials[0]?.metrics ?? {};
  const leaves = metrics.taxonomy_leaves;
  const graded = trials.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  const leavesOf = (some: readonly TrialRow[], isWanted: (planned: number | null) => boolean): number =>
    new Set(
      some.flatMap(({ metrics: own }) =>
        Object.entries(own).flatMap(([name, value]) => (name.startsWith(LEAF_METRIC) && isWanted(value) ? name : [])),
      ),
    ).size;
  const passed = leavesOf(
    graded.filter(({ outcome }) => outcome === 'passed'),
    (planned) => planned === 1,
  );
  const isMapped = metrics.taxonomy_mapped === 1;
  const method = (by: string): ByMethod => ({
    planned: ratio(by === '' ? metrics.taxonomy_planned : metrics[`plan_${by}covered`], leaves),
    byCode: ratio(metrics[`code_${by}covered`], leaves),
    novelty: ratio(metrics[`plan_${by}outside`], metrics.plan_features),
    noveltyByCode: ratio(metrics[`code_${by}outside`], metrics.code_features),
  });
  return {
    ...method(''),
    implemented: isMapped ? ratio(passed, leaves) : null,
    implementedReachable: isMapped
      ? ratio(
          passed,
          leavesOf(graded, () => true),
        )
      : null,
    told: ratio(metrics.purpose_leaves, leaves),
    noveltyMade: ratio(metrics.plan_done_outside, metrics.plan_done),
    clusters: {
      ...method('clusters_'),
      agreement: metrics.plan_clusters_agreement ?? metrics.code_clusters_agreement ?? null,
    },
    judged: method('judged_'),
    agreement: { plan: agreementOn('plan', metrics), code: agreementOn('code', metrics) },
  };
}

function agreementOn(of: 'plan' | 'code', metrics: Metrics): AgreementByPair {
  const known = (name: string): number | null => metrics[`${of}_${name}`] ?? null;
  const [features, share] = [known('features'), known('clusters_agreement')];
  // The share is what has been kept from the first; the count follows from it.
  const agreed = features === null || share === null ? null : Math.round(features * share);
  return {
    nearestAndClusters: compared(features, agreed, known('clusters_kappa')),
    nearestAndJudge: compared(known('judged_answered'), known('judged_as_nearest'), known('judged_as_nearest_kappa')),
    clustersAndJudge: compared(
      known('judged_answered'),
      known('judged_as_clusters'),
      known('judged_as_clusters_kappa'),
    ),
  };
}

function compared(features: number | null, agreed: number | null, kappa: number | null): MethodAgreement {
  if (features === null || agreed === null) return { features: null, agreed: null, share: null, kappa: null };
  return { features, agreed, share: ratio(agreed, features), kappa };
}

const ratio = (part: number | null | undefined, whole: number | null | undefined): number | null =>
  part == null || whole == null || whole === 0 ? null : part / whole;
