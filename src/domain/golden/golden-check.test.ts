import { expect, it } from 'vitest';
import { checkGolden, type GoldenTrial } from './golden-check.js';

const IDS = ['passes', 'fails', 'flips', 'errs', 'waits', 'absent', 'other'];
const SET = {
  ...{ suite: 'echo', lock: { grader: 'aa', 'images.sandbox': 'bb' } },
  tasks: IDS.map((id) => ({ id, group: 'g', difficulty: 'easy', sha256: 'cc' })),
};
const trial = (task: string, end: GoldenTrial['end'], repeat = 1, sha256 = 'cc'): GoldenTrial => ({
  ...{ trial: `${task}/${repeat}`, task, sha256, end },
});
const TRIALS = [
  ...[trial('passes', 'passed'), trial('passes', 'errored', 2), trial('fails', 'failed'), trial('fails', 'errored', 2)],
  ...[trial('flips', 'failed'), trial('flips', 'passed', 2), trial('errs', 'errored'), trial('waits', 'not run')],
  ...[trial('other', 'failed', 1, 'dd'), trial('unknown', 'failed')],
];

it('tells regressions from flips, from what has no verdict and from another content', () => {
  expect(checkGolden(SET, TRIALS, SET.lock)).toEqual({
    passed: [{ task: 'passes', trials: ['passes/1'] }],
    regressions: [{ task: 'fails', trials: ['fails/1'] }],
    quarantined: [{ task: 'flips', trials: ['flips/2', 'flips/1'] }],
    unanswered: [
      { task: 'errs', trials: ['errs/1'] },
      { task: 'waits', trials: ['waits/1'] },
      { task: 'absent', trials: [] },
    ],
    changed: [{ task: 'other', trials: ['other/1'] }],
    lockParts: [],
  });
});

it('names the parts in which the locks differ, also one that only one of them has', () => {
  const lock = { grader: 'ab', 'images.sandbox': 'bb', 'suite version': '2' };
  expect(checkGolden(SET, TRIALS, lock).lockParts).toEqual(['grader', 'suite version']);
});
