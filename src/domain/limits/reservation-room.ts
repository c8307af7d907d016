import type { CampaignSpec } from '../../contract/campaign.js';
import { batchPrice, costMicroUsd } from './prices.js';

/** A model of which fewer calls fit into the budget at once than the campaign asks for. */
export interface TightModel {
  /** Key of `models`. */
  model: string;
  /** What one call reserves where it may use its whole output cap; its input comes on top. */
  usd: number;
  tokens: number;
  /** So many such reservations the whole budget holds. */
  calls: number;
  /** `concurrency.model` */
  asked: number;
}

/**
 * Models whose largest reservation leaves fewer calls at once than `concurrency.model` asks for: the others would wait for
 * budget that is reserved. A budget that is not limited holds any number.
 */
export function tightModels({
  models,
  budget,
  concurrency,
}: Pick<CampaignSpec, 'models' | 'budget' | 'concurrency'>): TightModel[] {
  return Object.entries(models).flatMap(([key, model]): TightModel[] => {
    const { maxOutputTokens: tokens } = model;
    const cost = costMicroUsd(batchPrice(model.price, model.batchApi?.priceFactor ?? 1), {
      inputTokens: 0,
      cachedInputTokens: 0,
      outputTokens: tokens,
    });
    const byUsd = budget.usd === null || cost === 0 ? Infinity : (budget.usd * 1_000_000) / cost;
    const byTokens = budget.tokens === null ? Infinity : budget.tokens / tokens;
    const calls = Math.floor(Math.min(byUsd, byTokens));
    return calls >= concurrency.model
      ? []
      : [{ model: key, usd: cost / 1_000_000, tokens, calls, asked: concurrency.model }];
  });
}
