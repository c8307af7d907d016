import type { TrialFacts } from './trial-facts.js';

/** A share as counts: `hits` of `all`. */
export interface Share {
  hits: number;
  all: number;
}

/** How often each stage was right about some trials. */
export interface CalibrationFigures {
  trials: number;
  /** Of the trials: the derivation broke their test, so nothing is expected of them. */
  unsound: number;
  /** Tasks whose target is there: it is the first match, one of the first three (which are voted on), of the first five. */
  recallAt1: Share;
  recallAt3: Share;
  recallAt5: Share;
  /** Accepted matches that are right; only where the capability is there or gone (renamed, moved, reworded, partial). */
  votePrecision: Share;
  /** Right matches voted on that were accepted; only there as well. */
  voteRecall: Share;
  /** Trials in which a match was accepted. */
  accepted: Share;
  /** Right matches that were accepted, of tests expected to pass: those the adaptation did not refuse. */
  adaptAccepted: Share;
  /** Of these, those bound to what became of every name. */
  adaptCorrect: Share;
  /** Trials expected to fail that passed. */
  falsePasses: Share;
  /** Trials expected to pass, rightly voted and rightly bound, that failed. */
  falseFails: Share;
  /** Trials expected to pass that did: all stages together. */
  passed: Share;
}

/** Kinds whose entries either are the capability or are not there; elsewhere a voter may well reject what is broken. */
const VOTED_KINDS = new Set<TrialFacts['kind']>(['renamed', 'moved', 'reworded', 'partial']);

/** The figures of trials of any kinds and voters; pure arithmetic. */
export function calibrationFigures(facts: readonly TrialFacts[]): CalibrationFigures {
  const sound = facts.filter(({ expected }) => expected !== 'unsound');
  const searched = sound.filter(({ target }) => target !== null);
  const decisions = sound.filter(({ kind }) => VOTED_KINDS.has(kind)).flatMap((one) => one.decisions);
  const right = decisions.filter((one) => one.right);
  const toPass = sound.filter(({ expected }) => expected === 'passed');
  const toFail = sound.filter(({ expected }) => expected === 'failed');
  const rightly = toPass.filter(({ decisions: held }) => held.some((one) => one.accepted && one.right));
  const run = { toPass: toPass.filter(wasRun), toFail: toFail.filter(wasRun) };
  const adapted = rightly.filter(({ adaptation }) => adaptation?.refused === null);
  const bound = adapted.filter(({ adaptation }) => adaptation?.wrong.length === 0);
  return {
    trials: facts.length,
    unsound: facts.length - sound.length,
    recallAt1: share(searched, ({ matches }) => matches[0]?.right === true),
    recallAt3: share(searched, ({ matches }) => matches.slice(0, 3).some((match) => match.right)),
    recallAt5: share(searched, ({ matches }) => matches.some((match) => match.right)),
    votePrecision: share(
      decisions.filter((one) => one.accepted),
      (one) => one.right,
    ),
    voteRecall: share(right, (one) => one.accepted),
    accepted: share(sound, ({ decisions: held }) => held.some((one) => one.accepted)),
    adaptAccepted: { hits: adapted.length, all: rightly.length },
    adaptCorrect: { hits: bound.length, all: adapted.length },
    falsePasses: share(run.toFail, ({ passed }) => passed === true),
    falseFails: share(bound.filter(wasRun), ({ passed }) => passed === false),
    passed: share(run.toPass, ({ passed }) => passed === true),
  };
}

const wasRun = ({ passed }: TrialFacts): boolean => passed !== null;

const share = <Item>(items: readonly Item[], holds: (item: Item) => boolean): Share => ({
  hits: items.filter(holds).length,
  all: items.length,
});
