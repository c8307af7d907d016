import { expect, it } from 'vitest';
import type { EventRow } from '../../ports/records.js';
import type { ReportSubject } from '../report-subject.js';
import { revisionRows } from './revision-text.js';

const campaign = (revises: string | null, revisedBy: string[]) =>
  ({ revises, revisedBy }) as unknown as ReportSubject['campaign'];

const EVENT: EventRow = {
  ...{ at: '', author: 'me', action: 'revises', reason: 'cheaper' },
  details: {
    of: 'old',
    changes: [
      { part: 'systems.big.limits.usd', before: 50, after: 20, invalidates: ['big'] },
      { part: 'grader', before: 'a'.repeat(64), after: 'b'.repeat(64), invalidates: 'all' },
      { part: 'dataset.tasks', before: null, after: ['x', 'y'], invalidates: 'tasks' },
      { part: 'name', before: 'one', after: 'two\u001b[31m', invalidates: [] },
    ],
    trials: { planned: 6, invalidated: 2, leftOut: 1, unchanged: 3 },
  },
};

it('says what a campaign revises, what that changes and invalidates, and what revises it', () => {
  expect(revisionRows({ campaign: campaign('old', []), events: [EVENT] })).toEqual([
    [
      'revises',
      'old: systems.big.limits.usd: 50 → 20 (invalidates big); ' +
        'grader: aaaaaaaaaaaa… → bbbbbbbbbbbb… (invalidates every trial); ' +
        'dataset.tasks: none → ["x","y"] (invalidates trials of tasks that are others now); ' +
        'name: one → two (invalidates nothing); of its 6 trials 2 invalidated, 1 left out, 3 unchanged',
    ],
  ]);
  expect(revisionRows({ campaign: campaign(null, ['a', 'b']), events: [] })).toEqual([['revised by', 'a, b']]);
  expect(revisionRows({ campaign: campaign(null, []), events: [] })).toEqual([]);
});
