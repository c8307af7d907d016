import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../contract/campaign.js';
import { tightModels } from './reservation-room.js';

const model = (output: number, maxOutputTokens: number) => ({ price: { input: 1, output }, maxOutputTokens });

const spec = (budget: object, models: object): CampaignSpec =>
  ({ models, budget: { usd: null, tokens: null, ...budget }, concurrency: { model: 8 } }) as unknown as CampaignSpec;

it('names the models of which the budget holds fewer reservations than may be in flight', () => {
  // 100,000 tokens at $4.40 a million are $0.44: four of them fit into $2.
  const models = { big: model(4.4, 100_000), small: model(0.6, 4_000) };
  expect(tightModels(spec({ usd: 2 }, models))).toEqual([
    { model: 'big', usd: 0.44, tokens: 100_000, calls: 4, asked: 8 },
  ]);
  expect(tightModels(spec({ usd: 0.4 }, models)).map(({ calls }) => calls)).toEqual([0]);
  expect(tightModels(spec({ tokens: 30_000 }, models)).map(({ model: key, calls }) => [key, calls])).toEqual([
    ['big', 0],
    ['small', 7],
  ]);
});

it('finds room where there is no limit, or nothing costs anything', () => {
  const free = { free: { price: 'free', maxOutputTokens: 100_000 } };
  expect(tightModels(spec({}, { big: model(4.4, 100_000) }))).toEqual([]);
  expect(tightModels(spec({ usd: 0.01 }, free))).toEqual([]);
  expect(tightModels(spec({ usd: 3.52 }, { big: model(4.4, 100_000) }))).toEqual([]);
});

it('counts what a provider batch costs', () => {
  const batched = { ...model(4.4, 100_000), batchApi: { priceFactor: 0.5, collectSeconds: 60 } };
  expect(tightModels(spec({ usd: 1 }, { batched })).map(({ usd, calls }) => [usd, calls])).toEqual([[0.22, 4]]);
});
