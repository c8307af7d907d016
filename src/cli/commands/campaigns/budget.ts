import { isClosed } from '../../../client/campaigns/is-closed.js';
import { withConnection } from '../../../client/connection.js';
import { budgetProblems, type BudgetOwner } from '../../../client/control/budget-limits.js';
import { changeBudget, type BudgetReport, type BudgetSubject } from '../../../client/control/change-budget.js';
import { describingOptions } from '../../../client/datasets/build-request.js';
import { UserError } from '../../../domain/failure/user-error.js';
import type { DocumentBody } from '../../../report/documents/documents.js';
import { snakeKeys } from '../../../report/documents/snake-keys.js';
import { eventReport } from '../../../report/full-report.js';
import { budgetText, usedText } from '../../../report/text/budget-text.js';
import { counted, dollars, grouped } from '../../../report/text/number-text.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import type { Output } from '../../format/output.js';
import { eventLines } from '../../format/event-lines.js';
import { installationLines } from '../../format/installation-lines.js';
import { givenReason } from '../../options/given-reason.js';
import { readBudgetChange } from '../../options/read-budget-change.js';

/** `durabench budget CAMPAIGN|ACCOUNT|--installation [--usd N] [--tokens N] [--wall-hours N] [--trials N] [--soft SHARE]` */
export const budget: CommandEntry = {
  declare: (program) =>
    program
      .command('budget')
      .description(
        'show or change the limits of a campaign, or of the model of a dataset build; past usage counts. Apply with `resume`',
      )
      .argument(
        '[campaign]',
        'id, unique prefix of an id, or latest; or the account of a dataset build (SUITE@VERSION)',
      )
      .option('--installation', 'the limit over all campaigns instead')
      .option('--usd <dollars>', 'limit in US dollars, or none')
      .option('--tokens <count>', 'limit in tokens, or none')
      .option('--wall-hours <hours>', 'limit in hours that the campaign runs, without its pauses, or none')
      .option('--trials <count>', 'limit in trials that may be started, or none')
      .option('--soft <share>', 'soft limit: stop starting trials at this share of any limit, or none')
      .option('--reason <text>', 'kept in the record')
      .option('--dry-run', 'only say what would change'),
  action: (session, [wanted], options) => {
    const change = readBudgetChange(options);
    const owner = ownerOf(wanted, options.installation === true);
    // Also where no server answers.
    const problems = budgetProblems(owner, change);
    if (problems.length > 0) throw new UserError('usage', problems);
    return withConnection(session, async (connection) => {
      const dryRun = options.dryRun === true;
      const told = await changeBudget(connection, owner, change, { reason: givenReason(options), dryRun });
      show(session.output, told, dryRun);
      return EXIT.ok;
    });
  },
};

function ownerOf(wanted: string | undefined, isOfAll: boolean): BudgetOwner {
  if (isOfAll && wanted === undefined) return { installation: true };
  if (!isOfAll && wanted !== undefined) return wanted;
  throw new UserError('usage', {
    message: isOfAll ? `budget was given --installation and "${wanted}"` : 'budget was given no campaign',
    expected: 'a campaign (id, unique prefix of an id, or latest), or --installation for the limit over all',
    fix: 'durabench budget latest',
  });
}

function show(output: Output, { subject, changed, before, after, used, installation }: BudgetReport, dryRun: boolean) {
  if (output.flags.json) {
    const words = { before: snakeKeys(before), after: snakeKeys(after), spent: snakeKeys(used) };
    return output.json('budget', { dry_run: dryRun, command: 'budget', ...inJson(subject), changed, ...words });
  }
  const is = changed ? (dryRun ? 'would be' : 'is now') : 'is';
  const was = changed ? ` (it was ${budgetText(before)})` : '';
  output.data(`budget of ${nameOf(subject)} ${is} ${budgetText(after)}${was}`);
  const { usd, tokens } = used;
  output.data(`used         ${usedText(after, used) ?? `${dollars(usd ?? 0)}, ${grouped(tokens ?? 0)} tokens`}`);
  for (const line of [...installationLines(installation), ...linesOf(subject)]) output.data(line);
}

function nameOf(subject: BudgetSubject): string {
  if (subject.of === 'installation') return 'the installation, over all campaigns,';
  return subject.of === 'account' ? `the builds of ${subject.id}` : subject.id;
}

/** For `--json`, beside what all have. */
function inJson(subject: BudgetSubject): Pick<DocumentBody<'budget'>, 'campaign' | 'account' | 'waiting' | 'events'> {
  if (subject.of === 'installation') return { campaign: null, events: subject.events.map(eventReport) };
  if (subject.of === 'account') return { campaign: null, account: subject.id };
  return { campaign: subject.id, waiting: subject.waiting };
}

function linesOf(subject: BudgetSubject): string[] {
  if (subject.of === 'installation') return eventLines(subject.events);
  if (subject.of === 'account') {
    const { suite, model } = subject;
    const words = describingOptions({ model, usd: null });
    return [`next         a build goes on with: durabench dataset build ${suite} ${words} --usd LIMIT`];
  }
  const { id, status, waiting } = subject;
  const isStopped = isClosed(status) && waiting.trials > 0;
  return [
    `waiting      ${counted(waiting.trials, 'trial')}, about ${dollars(waiting.usd)} by the mean cost of trials like these so far`,
    ...(isStopped ? [`next         durabench resume ${id}`] : []),
  ];
}
