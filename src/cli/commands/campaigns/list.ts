import { withConnection } from '../../../client/connection.js';
import type { BuildAccountRow, CampaignRow } from '../../../client/index.js';
import { installationList } from '../../../client/inspect/installation-list.js';
import { plainLine } from '../../../domain/text/plain-text.js';
import type { DocumentBody } from '../../../report/documents/documents.js';
import { columnTable, type TableColumn } from '../../../report/result-table.js';
import { spendReport } from '../../../report/status-report.js';
import { budgetText } from '../../../report/text/budget-text.js';
import { dollars, grouped } from '../../../report/text/number-text.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { readWholeNumber } from '../../options/whole-number.js';

/** `durabench list` */
export const list: CommandEntry = {
  declare: (program) =>
    program
      .command('list')
      .description('campaigns, newest first, and what dataset builds have cost')
      .option('-n, --limit <count>', 'how many', '20')
      .option('--tag <tag>', 'only campaigns with this tag'),
  action: (session, _args, options) => {
    const limit = readWholeNumber('--limit', options.limit, { least: 1, most: 99_999, fix: '--limit 20' });
    const tag = typeof options.tag === 'string' ? options.tag : undefined;
    return withConnection(session, async (connection) => {
      const { output } = session;
      const { campaigns, accounts } = await installationList(connection, limit, tag);
      if (output.flags.json) {
        output.json('list', { campaigns: campaigns.map(campaignInJson), accounts: accounts.map(accountInJson) });
        return EXIT.ok;
      }
      if (campaigns.length === 0 && tag !== undefined) output.data(`no campaign has the tag ${tag}`);
      else if (campaigns.length === 0)
        output.data('no campaign yet; start one with: durabench run examples/echo/campaign.yaml');
      else output.data(columnTable(columnsFor(campaigns), campaigns, output.width));
      if (accounts.length > 0) output.data(`\n${columnTable(ACCOUNT_COLUMNS, accounts)}`);
      return EXIT.ok;
    });
  },
};

const COLUMNS: readonly TableColumn<CampaignRow>[] = [
  { title: 'campaign', cell: ({ id }) => id, align: 'left' },
  { title: 'status', cell: ({ status }) => status.replace('_', ' '), align: 'left' },
  { title: 'suite', cell: ({ suite }) => suite, align: 'left', rank: 6 },
  { title: 'done', cell: ({ trials }) => `${grouped(trials.done)}/${grouped(trials.planned)}`, align: 'right' },
  { title: 'passed', cell: ({ trials }) => grouped(trials.passed), align: 'right', rank: 4 },
  { title: 'failed', cell: ({ trials }) => grouped(trials.failed), align: 'right', rank: 4 },
  { title: 'errored', cell: ({ trials }) => grouped(trials.errored), align: 'right', rank: 4 },
  { title: 'not run', cell: ({ trials }) => grouped(trials.not_run), align: 'right', rank: 4 },
  { title: 'cost', cell: ({ spend }) => dollars(spend.microUsd / 1_000_000), align: 'right', rank: 3 },
  { title: 'created (UTC)', cell: ({ createdAt }) => minute(createdAt), align: 'left', rank: 5 },
];

/** Where no campaign has something to say in it, a column is left out. */
function columnsFor(campaigns: readonly CampaignRow[]): TableColumn<CampaignRow>[] {
  const columns = [...COLUMNS];
  if (campaigns.some(({ tags }) => tags.length > 0))
    columns.push({ title: 'tags', cell: ({ tags }) => tags.join(' '), align: 'left', rank: 3 });
  if (campaigns.some(({ revises }) => revises !== null))
    columns.push({ title: 'revises', cell: ({ revises }) => revises ?? '', align: 'left', rank: 2 });
  if (campaigns.some(({ stuck }) => stuck !== null))
    columns.push({ title: 'problem', cell: (row) => stuckText(row) ?? '', align: 'left', rank: 1 });
  return columns;
}

/** Dataset builds that ask a model have no campaign, and an account of their own. */
const ACCOUNT_COLUMNS: readonly TableColumn<BuildAccountRow>[] = [
  { title: 'dataset build', cell: ({ id }) => id, align: 'left' },
  { title: 'model', cell: ({ model }) => model.name, align: 'left' },
  { title: 'calls', cell: ({ spend }) => grouped(spend.calls), align: 'right' },
  { title: 'cost', cell: ({ spend }) => dollars(spend.microUsd / 1_000_000), align: 'right' },
  { title: 'limit', cell: ({ budget }) => budgetText(budget), align: 'left' },
  { title: 'created (UTC)', cell: ({ createdAt }) => minute(createdAt), align: 'left' },
];

const minute = (at: string): string => at.slice(0, 16).replace('T', ' ');

function campaignInJson(row: CampaignRow): DocumentBody<'list'>['campaigns'][number] {
  const { id, name, status, suite, dataset, createdAt, endedAt, revises, revisedBy, trials, spend } = row;
  const problem = stuckText(row);
  return {
    campaign: {
      ...{ id, name, status, suite, dataset, tags: row.tags, created_at: createdAt, ended_at: endedAt },
      ...{ revises, revised_by: revisedBy },
    },
    ...(problem !== undefined && { problem }),
    trials,
    spend: spendReport(spend),
  };
}

function accountInJson({ id, suite, version, model, budget, spend, createdAt }: BuildAccountRow) {
  return {
    ...{ account: id, suite, version, model: model.name, budget, created_at: createdAt },
    spend: spendReport(spend),
  };
}

/** What a worker has seen of its workflows; undefined where they go on. */
function stuckText({ id, stuck }: CampaignRow): string | undefined {
  return stuck === null ? undefined : `cannot go on (${plainLine(stuck, 80)}): durabench resume ${id}`;
}
