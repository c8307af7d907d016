/** What was asked for, what is there, and what of it is right. */
export interface FeatureCounts {
  required: readonly string[];
  correct: ReadonlySet<string>;
  present: ReadonlySet<string>;
  /** Features that the task welcomes beyond those it requires. */
  allowed?: readonly string[];
}

export interface FeatureScores {
  /** Required features that are right, of all required ones. */
  recall: number;
  /** Required features that are right, of all that are there and count; null where none counts. */
  precision: number | null;
  /** Harmonic mean of both; 0 where nothing is right. */
  f1: number;
}

/** Good practice, and what every workflow has: nobody is punished for it. */
const BENIGN: readonly string[] = [
  't1.jobs.single',
  't1.jobs.ordered_steps',
  't1.jobs.runs_on',
  't1.steps.run',
  't1.steps.uses',
  't1.steps.with',
  't1.steps.working_directory',
  't1.env.scopes',
  't1.trigger.push_pr',
  't1.trigger.filters',
  't1.outputs.chain',
  't1.env.github_output',
  't2.permissions',
  't2.timeouts',
  't2.defaults',
  't2.if.expression',
  't2.if.github_ctx',
  't2.cache.action',
  't2.artifacts.retention',
  't3.concurrency.group',
  't3.concurrency.cancel',
  't3.expr.complex',
  't3.multi_file',
];

const NEEDS: readonly string[] = ['t2.needs.dag', 't2.needs.conditional'];

/** What a feature cannot be had without, or what is another sight of it. */
const IMPLIES: Record<string, readonly string[]> = {
  't2.needs.conditional': ['t2.needs.dag'],
  't2.needs.dag': ['t2.needs.conditional'],
  't2.if.status': ['t2.if.expression'],
  't2.matrix.multi': ['t2.matrix.basic'],
  't2.matrix.include_exclude': ['t2.matrix.basic', 't2.matrix.multi'],
  't2.matrix.failfast_parallel': ['t2.matrix.basic', 't2.matrix.multi'],
  't2.cache.restore_keys': ['t2.cache.action'],
  't2.artifacts.retention': ['t2.artifacts.pass'],
  't2.artifacts.pass': NEEDS,
  't2.services.health': ['t2.services.basic'],
  't2.services.basic': ['t2.services.health'],
  't3.reusable': ['t3.multi_file', ...NEEDS],
  't3.composite': ['t3.multi_file'],
  't3.secrets.environment': ['t3.secrets.ctx', 't4.deploy_pipeline', ...NEEDS],
  't3.matrix.dynamic': ['t2.matrix.basic', ...NEEDS],
  't3.path_logic': ['t4.monorepo', ...NEEDS],
  't3.docker.build_push': ['t3.secrets.ctx'],
  't3.oidc': ['t3.secrets.ctx'],
};

/** Recall, precision and F1. A tier-4 task is a composition: what its parts bring counts for nothing against it. */
export function featureScores({ required, correct, present, allowed = [] }: FeatureCounts): FeatureScores {
  const welcome = new Set([...BENIGN, ...allowed, ...required.flatMap((feature) => IMPLIES[feature] ?? [])]);
  const right = required.filter((feature) => correct.has(feature)).length;
  const composed = required.some((feature) => feature.startsWith('t4.'));
  const extra = composed ? [] : [...present].filter((feature) => !welcome.has(feature) && !required.includes(feature));
  const counted = required.filter((feature) => present.has(feature)).length + extra.length;
  const recall = required.length === 0 ? 1 : right / required.length;
  const precision = counted === 0 ? null : right / counted;
  const f1 = right === 0 || precision === null ? 0 : (2 * precision * recall) / (precision + recall);
  return { recall, precision, f1 };
}
