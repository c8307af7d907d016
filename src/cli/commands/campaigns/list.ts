import { plainTable } from '../../../report/result-table.js';
import { budgetWords, spentAmounts } from '../../../report/words/budget-words.js';
import { dollars, grouped } from '../../../report/words/words.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { plainLine } from '../../../domain/text/plain-text.js';
import { withConnection } from '../../../client/connection.js';
import type { BuildAccountRow } from '../../../client/index.js';
import { installationList } from '../../../client/inspect/installation-list.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** `durabench list` */
export const list: CommandEntry = {
  declare: (program) =>
    program
      .command('list')
      .description('campaigns, newest first, and what dataset builds have cost')
      .option('-n, --limit <count>', 'how many', '20'),
  action: async (session, _args, options) => {
    const limit = limitOf(String(options.limit));
    return withConnection(session, async (place) => {
      const { campaigns, accounts } = await installationList(place, limit);
      if (session.output.flags.json) {
        const rows = campaigns.map(
          ({ id, name, status, suite, dataset, createdAt, endedAt, trials, spend, ...row }) => ({
            campaign: {
              ...{ id, name, status, suite, dataset, created_at: createdAt, ended_at: endedAt },
              ...{ revises: row.revises, revised_by: row.revisedBy },
            },
            ...(row.stuck !== null && { problem: stuckText(id, row.stuck) }),
            trials,
            spend: {
              usd: spend.microUsd / 1_000_000,
              tokens: spend.tokens,
              calls: spend.calls,
              repeated_calls: spend.repeatedCalls,
              recovered_calls: spend.recoveredCalls,
            },
          }),
        );
        session.output.json('list', { campaigns: rows, accounts: accounts.map(accountInJson) });
      } else if (campaigns.length === 0) {
        session.output.data('no campaign yet; start one with: durabench run examples/echo/campaign.yaml');
      } else {
        // A column where there is something to say in it.
        const hasRevisions = campaigns.some(({ revises }) => revises !== null);
        const hasProblems = campaigns.some(({ stuck }) => stuck !== null);
        const rows = campaigns.map(({ id, status, suite, createdAt, trials, spend, revises, stuck }) => [
          id,
          status.replace('_', ' '),
          suite,
          `${grouped(trials.done)}/${grouped(trials.planned)}`,
          grouped(trials.passed),
          grouped(trials.failed),
          grouped(trials.errored),
          dollars(spend.microUsd / 1_000_000),
          createdAt.slice(0, 16).replace('T', ' '),
          ...(hasRevisions ? [revises ?? ''] : []),
          ...(hasProblems ? [stuck === null ? '' : stuckText(id, stuck)] : []),
        ]);
        const head = ['campaign', 'status', 'suite', 'done', 'passed', 'failed', 'errored', 'cost', 'created (UTC)'];
        if (hasRevisions) head.push('revises');
        if (hasProblems) head.push('problem');
        const right = 'right' as const;
        const aligns = ['left', 'left', 'left', right, right, right, right, right, 'left', 'left', 'left'] as const;
        const ranks = [0, 0, 6, 0, 4, 4, 4, 3, 5, 2, 1];
        session.output.data(plainTable(head, rows, aligns, { width: session.output.width, ranks }));
      }
      if (accounts.length > 0 && !session.output.flags.json) session.output.data(`\n${accountTable(accounts)}`);
      return EXIT.ok;
    });
  },
};

/** Dataset builds that ask a model have no campaign, and an account of their own. */
function accountTable(accounts: readonly BuildAccountRow[]): string {
  const rows = accounts.map(({ id, model, budget, spend, createdAt }) => [
    ...[id, model.name, grouped(spend.calls), dollars(spend.microUsd / 1_000_000)],
    ...[budgetWords(budget), createdAt.slice(0, 16).replace('T', ' ')],
  ]);
  const head = ['dataset build', 'model', 'calls', 'cost', 'limit', 'created (UTC)'];
  return plainTable(head, rows, ['left', 'left', 'right', 'right', 'left', 'left']);
}

function accountInJson({ id, suite, version, model, budget, spend, createdAt }: BuildAccountRow) {
  const { calls, repeatedCalls, recoveredCalls } = spend;
  return {
    ...{ account: id, suite, version, model: model.name, budget, created_at: createdAt },
    spend: { ...spentAmounts(spend), calls, repeated_calls: repeatedCalls, recovered_calls: recoveredCalls },
  };
}

/** What a worker has seen of its workflows. */
function stuckText(id: string, why: string): string {
  return `cannot go on (${plainLine(why, 80)}): durabench resume ${id}`;
}

function limitOf(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new UserError('usage', {
    message: `--limit is "${text}"`,
    expected: 'a whole number from 1 to 99999',
    fix: '--limit 20',
  });
}
