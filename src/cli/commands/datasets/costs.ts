import type { DocumentBody } from '../../../report/documents/documents.js';
import { snakeKeys } from '../../../report/documents/snake-keys.js';
import { eventReport } from '../../../report/full-report.js';
import { plainTable } from '../../../report/result-table.js';
import { spendReport } from '../../../report/status-report.js';
import { budgetText, spendNotes } from '../../../report/text/budget-text.js';
import { dollars, grouped } from '../../../report/text/number-text.js';
import { buildCosts, type BuildCosts } from '../../../client/datasets/build-costs.js';
import { eventLines } from '../../format/event-lines.js';
import { describingOptions } from '../../../client/datasets/build-request.js';
import { withConnection } from '../../../client/connection.js';
import type { Session } from '../../session.js';

/** `durabench dataset costs SUITE`: what models that described its tasks have cost. */
export async function showCosts(session: Session, suite: string): Promise<void> {
  const { output } = session;
  const costs = await withConnection(session, (connection) => buildCosts(connection, suite));
  if (output.flags.json) return output.json('costs', { suite, accounts: costs.map(inJson) });
  if (costs.length === 0) return output.data(`no build of the dataset of ${suite} has asked a model yet`);
  for (const [index, each] of costs.entries()) {
    if (index > 0) output.data('');
    for (const line of lines(each, output.width)) output.data(line);
  }
}

function lines({ account, usage, events, temporalUi }: BuildCosts, width: number): string[] {
  const { id, suite, model, budget, spend } = account;
  const { calls, tokens, microUsd, repeatedCalls } = spend;
  const rows = usage.map((row) => [
    ...[row.project, row.purpose, grouped(row.calls), grouped(row.tokens)],
    dollars(row.costMicroUsd / 1_000_000),
  ]);
  return [
    `account      ${id}: descriptions by ${model.name}`,
    `limit        ${budgetText(budget)}; change it with: durabench budget ${id} --usd N`,
    `spent        ${dollars(microUsd / 1_000_000)}, ${grouped(tokens)} tokens, ${grouped(calls)} calls, ${grouped(repeatedCalls)} repeated`,
    ...spendNotes(spend).map((note) => `             ${note}`),
    ...eventLines(events),
    ...(rows.length === 0
      ? []
      : [
          plainTable(
            ['project', 'purpose', 'calls', 'tokens', 'cost'],
            rows,
            ['left', 'left', 'right', 'right', 'right'],
            { width, ranks: [0, 0, 2, 1, 0] },
          ),
        ]),
    ...(temporalUi === null ? [] : [`Temporal UI  ${temporalUi}`]),
    `goes on with durabench dataset build ${suite} ${describingOptions({ model, usd: budget.usd })}`,
  ];
}

function inJson({ account, usage, events, temporalUi }: BuildCosts): DocumentBody<'costs'>['accounts'][number] {
  const { id, version, model, budget, createdAt, spend } = account;
  return {
    ...{
      account: id,
      version,
      model: model.name,
      price: model.price === 'free' ? model.price : snakeKeys(model.price),
      budget,
      created_at: createdAt,
    },
    spend: spendReport(spend),
    usage: usage.map(({ project, purpose, calls, tokens, costMicroUsd }) => {
      return { project, purpose, calls, tokens, usd: costMicroUsd / 1_000_000 };
    }),
    events: events.map(eventReport),
    temporal_ui: temporalUi,
  };
}
