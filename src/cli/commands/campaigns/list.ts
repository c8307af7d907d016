import { plainTable } from '../../../report/result-table.js';
import { dollars, grouped } from '../../../report/words/words.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { plainLine } from '../../../domain/text/plain-text.js';
import { withConnection } from '../../../client/connection.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** `durabench list` */
export const list: CommandEntry = {
  declare: (program) =>
    program.command('list').description('campaigns, newest first').option('-n, --limit <count>', 'how many', '20'),
  action: async (session, _args, options) => {
    const limit = limitOf(String(options.limit));
    return withConnection(session, async (place) => {
      const campaigns = await place.records.listCampaigns(limit);
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
        session.output.json({ campaigns: rows });
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
        session.output.data(
          plainTable(head, rows, ['left', 'left', 'left', right, right, right, right, right, 'left', 'left', 'left']),
        );
      }
      return EXIT.ok;
    });
  },
};

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
