import { expect, test } from 'vitest';
import type { Failure } from '../../contract/failure.js';
import { FAILURE_TABLE } from '../failure/failure-table.js';
import { endOfFailure, endOfVerdict } from './trial-end.js';

const failure = (type: Failure['type']): Failure => ({ type, blame: FAILURE_TABLE[type].blame, message: 'm' });

test('a passed verdict has neither blame nor reason', () => {
  const verdict = { passed: true, reasons: [], metrics: {} };
  expect(endOfVerdict(verdict, [])).toMatchObject({ outcome: 'passed', blame: null, reason: null, verdict });
});

test('a failed verdict is blamed on the model, with its first reason', () => {
  const verdict = { passed: false, reasons: ['not-localized', 'other'], metrics: {} };
  expect(endOfVerdict(verdict, [])).toMatchObject({ outcome: 'failed', blame: 'model', reason: 'not-localized' });
});

test('a system that used up its own limit without a candidate failed: it does not leave the denominator', () => {
  expect(endOfFailure(failure('system.limit-reached'))).toMatchObject({ outcome: 'failed', blame: 'model' });
});

test('budget and operator leave a trial not run, everything else is an error with its blame', () => {
  expect(endOfFailure(failure('budget.exhausted'))).toMatchObject({ outcome: 'not_run', blame: 'budget' });
  expect(endOfFailure(failure('operator.cancelled'))).toMatchObject({ outcome: 'not_run', blame: 'operator' });
  expect(endOfFailure(failure('sandbox.lost'))).toMatchObject({ outcome: 'errored', blame: 'infrastructure' });
  expect(endOfFailure(failure('harness.bug'))).toMatchObject({ outcome: 'errored', blame: 'harness', verdict: null });
});
