import type { ModelSpec } from '../contract/campaign.js';
import type { Pacing } from '../ports/pacing.js';
import type { LimiterEvent, Permit, PermitRequest } from './permit.js';
import { createProviderLimiter, type ProviderLimiter } from './provider-limiter.js';

/** How much is sent to each provider key, and when. */
export interface Limiter {
  /**
   * Waits at most 2 seconds for permission.
   * @throws DomainFailure `model.waiting` with the time to come back, so that waiting holds no slot
   */
  permit(model: ModelSpec, request: PermitRequest): Promise<Permit>;
}

/** An adaptive limiter: in flight per worker, pace shared by all workers. */
export function createLimiter(parts: {
  pacing: Pacing;
  /** This worker's instance id. */
  worker: string;
  report: (event: LimiterEvent) => void;
}): Limiter {
  const limiters = new Map<string, ProviderLimiter>();
  return {
    permit(model, request) {
      const provider = providerOf(model);
      const limiter = limiters.get(provider) ?? createProviderLimiter({ provider, ...parts });
      limiters.set(provider, limiter);
      return limiter.permit(request);
    },
  };
}

/** What a provider limits by: endpoint and key, the latter by its variable's name. Credentials inside a URL are left out. */
export function providerOf({ baseUrl, apiKeyEnv }: Pick<ModelSpec, 'baseUrl' | 'apiKeyEnv'>): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const endpoint = url ? `${url.host}${url.pathname.replace(/\/+$/, '')}` : 'an invalid base URL';
  return apiKeyEnv === null ? endpoint : `${endpoint} with ${apiKeyEnv}`;
}
