import { html } from 'hono/html';
import type { CampaignRow } from '../../client/index.js';
import { shown } from '../../report/page/page-frame.js';
import { pageTable } from '../../report/page/page-table.js';
import { dollars, grouped } from '../../report/text/number-text.js';
import type { ViewPage } from '../frame.js';
import type { Links } from '../links.js';

const NUMBERS = ['done', 'passed', 'failed', 'errored', 'not run', 'cost'];

/** All campaigns, newest first. */
export function campaignsPage(links: Links, campaigns: readonly CampaignRow[], tag?: string): ViewPage {
  const rows = campaigns.map((row) => {
    const { planned, done, passed, failed, errored, not_run: notRun } = row.trials;
    return [
      html`<a href="${links.campaign(row.id)}">${row.id}</a
        >${row.stuck === null ? '' : html` <strong>cannot go on</strong>`}`,
      html`${row.status.replace('_', ' ')}`,
      html`${shown(row.suite, 60)}`,
      html`${shown(row.dataset, 80)}`,
      html`${grouped(done)}/${grouped(planned)}`,
      ...[passed, failed, errored, notRun].map((count) => html`${grouped(count)}`),
      html`${dollars(row.spend.microUsd / 1_000_000)}`,
      html`${row.createdAt.slice(0, 16).replace('T', ' ')}`,
      html`${shown(row.tags.join(' '), 80)}`,
    ];
  });
  const titles = ['campaign', 'status', 'suite', 'dataset', ...NUMBERS, 'created (UTC)', 'tags'];
  return {
    title: 'Campaigns',
    trail: [],
    body: html`<h1>Campaigns</h1>
      ${tag === undefined ? '' : html`<p class="note">only those with the tag ${shown(tag, 60)}</p>`}
      ${
        campaigns.length === 0
          ? html`<p>No campaign yet. Start one with <code>durabench run examples/echo/campaign.yaml</code></p>`
          : pageTable({
              title: 'Campaigns, newest first',
              columns: titles.map((title) => ({ title, isNumber: NUMBERS.includes(title) })),
              rows,
            })
      }`,
  };
}
