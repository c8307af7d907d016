import type { Failure } from '../../contract/failure.js';
import { adviceOf } from '../failure/advice.js';
import { DomainFailure } from '../failure/domain-failure.js';
import type { SkippedStage, TrialEnd, Verdict } from '../../contract/verdict.js';

/** The end of a graded trial. */
export function endOfVerdict(verdict: Verdict, skipped: SkippedStage[]): TrialEnd {
  if (verdict.passed)
    return { outcome: 'passed', blame: null, reason: null, message: null, advice: null, verdict, skipped };
  const reason = verdict.reasons[0] ?? 'failed';
  return { outcome: 'failed', blame: 'model', reason, message: null, advice: null, verdict, skipped };
}

/** Why trials are stopped from outside, in the words every one of them gets wherever the stop met it. */
const STOPS = {
  'operator.cancelled': 'cancelled before its end',
  'operator.superseded': 'another run of the campaign has taken over',
  'budget.exhausted': 'the budget was spent before its turn',
} as const;

/** A stop from outside as data. */
export function stopFailure(reason: keyof typeof STOPS): Failure {
  return new DomainFailure(reason, STOPS[reason]).toFailure();
}

/**
 * The end of a trial that was not graded: what money or the operator stopped did not run, a system that used up its own
 * limit without a candidate failed (it must not leave the denominator), everything else errored.
 */
export function endOfFailure(failure: Failure, skipped: SkippedStage[] = []): TrialEnd {
  const { blame, type, message } = failure;
  const isStopped = blame === 'budget' || blame === 'operator';
  const outcome = isStopped ? 'not_run' : type === 'system.limit-reached' ? 'failed' : 'errored';
  const advice = adviceOf(failure);
  return {
    outcome,
    blame,
    reason: type,
    message,
    advice: Object.keys(advice).length > 0 ? advice : null,
    verdict: null,
    skipped,
  };
}
