import type { TrialChoice } from '../client/index.js';
import type { OwnerRef } from '../contract/stage.js';
import { choiceQuery } from './choice-query.js';

/** Where a page leads: addresses of a server, or files beside each other. Null: there is no such page. */
export interface Links {
  style: string;
  script: string;
  campaigns: string;
  campaign(id: string): string;
  trials(campaign: string, choice: TrialChoice, page?: number): string | null;
  /** @param choice which trials `j` and `k` lead to */
  trial(id: string, choice?: TrialChoice): string;
  /** Trials of a task beside each other. @param systems those of these alone */
  task(campaign: string, task: string, systems?: readonly string[]): string;
  generation(id: string): string;
  /** A page of the model calls of a trial or generation, from 1. */
  calls(owner: OwnerRef, page: number): string | null;
  evidence(owner: OwnerRef, sha256: string): string | null;
  /** By a server on this machine, which filters lists and knows what is beside it. */
  isServed: boolean;
}

const path = (...parts: string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;
const ofId = (kind: string, id: string): string => path(kind, ...id.split('/'));

function withQuery(address: string, query: URLSearchParams): string {
  return query.size === 0 ? address : `${address}?${query.toString()}`;
}

/** Addresses of the page server; `routes` of the server reads them. */
export const SERVED_LINKS: Links = {
  style: '/view.css',
  script: '/view.js',
  campaigns: '/',
  campaign: (id) => path('campaign', id),
  trials: (campaign, choice, page = 1) => {
    const query = choiceQuery(choice);
    if (page > 1) query.set('page', String(page));
    return withQuery(path('trials', campaign), query);
  },
  trial: (id, choice = {}) => withQuery(ofId('trial', id), choiceQuery(choice)),
  task: (campaign, task, systems = []) => withQuery(path('task', campaign, task), choiceQuery({ systems })),
  generation: (id) => ofId('generation', id),
  calls: ({ kind, id }, page) => withQuery(ofId(kind, id), new URLSearchParams({ calls: String(page) })) + '#calls',
  evidence: ({ kind, id }, sha256) => `${path('evidence', kind, sha256)}${ofId('', id).slice(1)}`,
  isServed: true,
};
