import { expect, it } from 'vitest';
import { planSummary } from '../../client/plans/plan-campaign.js';
import { campaignPlan } from '../../../tests/fixtures/engine/campaign-plan.js';
import { missingLines, planText } from './plan-text.js';

it('says that a campaign which reuses answers may ask less than is forecast', () => {
  const plan = campaignPlan({ id: 'reusing-0123456789', batches: 1, trialsPerBatch: 1 });
  const range = { low: 1, high: 1 };
  const figures = { calls: range, tokens: range, usd: range, wallSeconds: range };
  const forecast = {
    systems: [{ id: 'sys', like: 9, ...figures }],
    all: figures,
    reused: { trials: 0, candidates: 0 },
    done: 0,
  };
  const text = (reuseAnswers: object): string =>
    planText(planSummary({ plan: { ...plan, spec: { ...plan.spec, ...reuseAnswers } } }), forecast, Infinity);
  expect(text({ reuseAnswers: true })).toMatch(
    /^reused +answers of other campaigns are taken over at no cost: .*less/m,
  );
  expect(text({})).not.toContain('reused');
  forecast.reused = { trials: 1, candidates: 2 };
  expect(text({ reuseAnswers: true })).toMatch(
    /^reused +other campaigns have the answers to 1 trial and 2 candidates/m,
  );
  expect(text({ reuseAnswers: true })).not.toContain('less');
});

it('says what is built and fetched first, and nothing where all is there', () => {
  expect(missingLines({ docker: true, images: [], tasks: 0 })).toEqual([]);
  expect(missingLines({ docker: true, images: ['base', 'gha-lint'], tasks: 1 })).toEqual([
    'first        build 2 images (durabench images build base gha-lint); fetch 1 task',
  ]);
  expect(missingLines({ docker: false, images: [], tasks: 1_022 })).toEqual([
    'first        start Docker, which does not answer; fetch 1,022 tasks',
  ]);
});
