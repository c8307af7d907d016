import type { TrialChoice } from '../client/index.js';
import type { OwnerRef } from '../contract/stage.js';
import { sha256Hex } from '../domain/text/content-hash.js';
import type { Links } from './links.js';

/** Files of exported pages, from the folder of the export. Lists are by outcome and system alone: there is nobody to filter. */
export const FILES = {
  style: 'view.css',
  script: 'view.js',
  campaigns: 'index.html',
  campaign: (id: string) => `${safe(id)}/index.html`,
  trials: (campaign: string, choice: TrialChoice, page: number): string | null => {
    const { outcomes = [], systems = [], ...rest } = choice;
    if (Object.keys(rest).length > 0 || outcomes.length > 1 || systems.length > 1) return null;
    const parts = ['trials', ...outcomes, ...systems.map(safe), ...(page > 1 ? [`page-${page}`] : [])];
    return `${safe(campaign)}/${parts.join('.')}.html`;
  },
  trial: (id: string, calls = 1) => `${within('trial', id)}${callsPart(calls)}.html`,
  task: (campaign: string, task: string) => `${safe(campaign)}/task/${safe(task)}.html`,
  generation: (id: string, calls = 1) => `${within('generation', id)}${callsPart(calls)}.html`,
};

const callsPart = (page: number): string => (page > 1 ? `.calls-${page}` : '');

/** Our ids are names of files already; what else there may be is hashed. */
const safe = (part: string): string =>
  /^[a-z0-9][a-z0-9._-]{0,150}$/.test(part) ? part : sha256Hex(part).slice(0, 16);

function within(folder: string, id: string): string {
  const [campaign = '', ...parts] = id.split('/');
  return [safe(campaign), folder, ...parts.map(safe)].join('/');
}

/** Relative addresses for a page that is this file. */
export function fileLinks(file: string): Links {
  const up = '../'.repeat(file.split('/').length - 1);
  return {
    style: up + FILES.style,
    script: up + FILES.script,
    campaigns: up + FILES.campaigns,
    campaign: (id) => up + FILES.campaign(id),
    trials: (campaign, choice, page = 1) => {
      const list = FILES.trials(campaign, choice, page);
      return list === null ? null : up + list;
    },
    trial: (id) => up + FILES.trial(id),
    task: (campaign, task) => up + FILES.task(campaign, task),
    generation: (id) => up + FILES.generation(id),
    calls: ({ kind, id }: OwnerRef, page) => `${up}${FILES[kind](id, page)}#calls`,
    evidence: () => null,
    isServed: false,
  };
}
