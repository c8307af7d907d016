import { calibrationFigures, type Share } from './calibration-figures.js';
import type { TrialFacts } from './trial-facts.js';

/** Something calibration asks of the graders, and what was measured. */
export interface Goal {
  goal: string;
  /** `at-least` or `at-most` this share. */
  asked: { bound: 'at-least' | 'at-most'; share: number };
  measured: Share;
  /** Null where nothing was measured. */
  held: boolean | null;
}

/**
 * The goals, each over the kinds it is about. However many voters there are, a task of a candidate counts once: with the
 * voter under whom it got furthest.
 */
export function calibrationGoals(facts: readonly TrialFacts[]): Goal[] {
  const once = oncePerTask(facts);
  const of = (...kinds: TrialFacts['kind'][]) => calibrationFigures(once.filter(({ kind }) => kinds.includes(kind)));
  const named = of('renamed', 'moved');
  const reworded = (documented: boolean) =>
    calibrationFigures(once.filter((one) => one.kind === 'reworded' && one.documented === documented)).recallAt5;
  const broken = of('mutated', 'stubbed', 'decoys');
  return [
    goal('target among the first five, renamed and moved', 'at-least', 0.95, named.recallAt5),
    goal('target among the first five, reworded', 'at-least', 0.95, reworded(true)),
    goal('target among the first five, reworded, without a docstring', 'at-least', 0.85, reworded(false)),
    goal('adaptations that are right, of the accepted, renamed and moved', 'at-least', 0.97, named.adaptCorrect),
    goal('tests that can be adapted, renamed and moved', 'at-least', 0.9, named.adaptAccepted),
    goal('false passes, mutated, stubbed and decoys', 'at-most', 0, broken.falsePasses),
    goal('false fails, all kinds', 'at-most', 0.02, calibrationFigures(once).falseFails),
  ];
}

/** Of each task of a candidate the trial that tells most: passed where it must not, then rightly voted, then any. */
function oncePerTask(facts: readonly TrialFacts[]): TrialFacts[] {
  const best = new Map<string, TrialFacts>();
  for (const fact of facts) {
    const key = `${fact.project} ${fact.word} ${fact.task}`;
    const before = best.get(key);
    if (before === undefined || tells(fact) > tells(before)) best.set(key, fact);
  }
  return [...best.values()];
}

function tells({ expected, passed, decisions }: TrialFacts): number {
  if (expected === 'failed') return Number(passed === true);
  return Number(decisions.some((one) => one.accepted && one.right));
}

function goal(text: string, bound: Goal['asked']['bound'], asked: number, measured: Share): Goal {
  const rate = measured.hits / measured.all;
  const isHeld = bound === 'at-least' ? rate >= asked : rate <= asked;
  return { goal: text, asked: { bound, share: asked }, measured, held: measured.all === 0 ? null : isHeld };
}
