import { checkResult, type CheckResult } from './checks/check-result.js';
import type { Check } from './checks/check.js';
import { featureScores, type FeatureScores } from './checks/feature-scores.js';
import { DETECTORS } from './detectors/detectors.js';
import type { FileProblem, TaskFacts } from './model/model.js';
import { readSemantics } from './model/read-semantics.js';
import type { Place } from './nodes/node.js';

export interface FeaturesRequest {
  /** Path -> text of the candidate's files. */
  files: Record<string, string>;
  facts: Partial<TaskFacts>;
  checks: Check[];
  /** Features the task is about. */
  required: string[];
}

/** Features of a candidate: JSON, with the place of everything found. */
export interface FeaturesReport {
  checks: CheckResult[];
  /** Every feature that is used, and where. `correct`: all its checks hold; null where the task asks nothing of it. */
  features: { feature: string; correct: boolean | null; evidence: Place[] }[];
  scores: FeatureScores;
  /** Files that could not be read. */
  problems: FileProblem[];
}

const MOST_PLACES = 5;

/** The third layer: what the files mean. Pure; never throws for anything a candidate wrote. */
export function gradeFeatures({ files, facts, checks, required }: FeaturesRequest): FeaturesReport {
  const semantics = readSemantics(files, facts);
  const results = checks.map((check) => checkResult(semantics, check));
  const found = [...DETECTORS.values()].flatMap(({ id, present }) => {
    const evidence = present(semantics);
    return evidence.length === 0 ? [] : [{ feature: id, evidence: evidence.slice(0, MOST_PLACES) }];
  });
  const isCorrect = (feature: string): boolean | null => {
    const own = results.filter((result) => result.feature === feature);
    return own.length === 0 ? null : own.every(({ holds }) => holds);
  };
  const features = found.map((each) => ({ ...each, correct: isCorrect(each.feature) }));
  const correct = new Set(features.flatMap(({ feature, correct: right }) => (right === true ? [feature] : [])));
  const scores = featureScores({ required, correct, present: new Set(found.map(({ feature }) => feature)) });
  return { checks: results, features, scores, problems: semantics.problems };
}
