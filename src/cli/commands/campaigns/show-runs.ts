import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import type { Connection } from '../../../client/connection.js';
import { inBackground } from '../../../client/control/background.js';
import type { RunsAnswer } from '../../../client/control/plan-runs.js';
import type { RunForecast } from '../../../client/control/run-forecast.js';
import type { Engine } from '../../../client/engine.js';
import { workerLimits } from '../../../client/inspect/worker-limits.js';
import { plainTable } from '../../../report/result-table.js';
import { statusReport } from '../../../report/status-report.js';
import { budgetUse, usedText } from '../../../report/text/budget-text.js';
import { inFlightText } from '../../../report/text/in-flight-text.js';
import { dollars, grouped } from '../../../report/text/number-text.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { reattachText } from '../../format/reattach-text.js';
import type { Session } from '../../session.js';
import { watchToEnd } from './watch-campaign.js';

type Command = 'resume' | 'retry' | 'regrade';
type Started = Extract<RunsAnswer, { state: 'started' | 'continued' }>;

/** How a command that plans runs was asked. */
interface Asked {
  command: Command;
  isDryRun: boolean;
  isDetached: boolean;
}

const MAX_LINES = 50;

/** Says what came of `resume`, `retry` or `regrade`, and watches what was started to its end, unless detached. */
export async function showRuns(
  session: Session,
  { connection, engine }: { connection: Connection; engine: Engine },
  asked: Asked,
  answer: RunsAnswer,
): Promise<ExitCode> {
  const { output } = session;
  const { id, campaign } = answer;
  if (answer.state === 'nothing') return showNothing(session, connection, asked, answer);
  if (answer.state === 'forecast') {
    showForecast(session, asked.command, answer);
    return EXIT.ok;
  }
  output.say(startedText(asked.command, answer));
  output.say(inFlightText(campaign.spec.concurrency, await workerLimits(connection, engine)));
  const runs = answer.state === 'started' ? { runs: answer.runs.length } : {};
  if (asked.isDetached) output.say(reattachText(id, await inBackground(session, connection, { id, engine })));
  const { code, hasEnded } = asked.isDetached
    ? { code: EXIT.ok, hasEnded: false }
    : await watchToEnd(session, connection, { id, engine });
  if (output.flags.json && !hasEnded) output.jsonLine('started', { campaign_id: id, ...runs });
  return code;
}

/** There is nothing to do, which is no failure. */
async function showNothing(
  session: Session,
  connection: Connection,
  { command, isDryRun, isDetached }: Asked,
  { id, why }: Extract<RunsAnswer, { state: 'nothing' }>,
): Promise<ExitCode> {
  const { output } = session;
  output.say(why);
  if (!output.flags.json) return EXIT.ok;
  if (isDryRun) output.json('planned-runs', { dry_run: true, command, campaign: id, trials: [], usd: 0 });
  else if (isDetached) output.jsonLine('started', { campaign_id: id, runs: 0 });
  else output.json('status', statusReport(await campaignSubject(session, connection, id)));
  return EXIT.ok;
}

function startedText(command: Command, answer: Started): string {
  const { id, campaign } = answer;
  const { trials, spec } = campaign;
  if (answer.state === 'continued') return `resumed ${id}: ${answer.left} of ${trials.planned} trials to run`;
  const runs = answer.runs.length;
  if (runs === 0) return `resumed ${id}: every trial has ended; its result is still to be closed`;
  const done = { resume: 'resumed', retry: 'retrying', regrade: 'regrading' }[command];
  // A limit that is reached ends it again at once.
  const used = usedText(spec.budget, budgetUse(campaign));
  return `${done} ${id}: ${runs} of ${trials.planned} trials to run${used === null ? '' : `; its budget: ${used}`}`;
}

/** `--dry-run` */
function showForecast(
  { output }: Session,
  command: Command,
  { id, campaign, runs, usd }: Extract<RunsAnswer, { state: 'forecast' }>,
): void {
  if (output.flags.json) {
    const trials = runs.map(({ trialId: trial, n: run, why, usd: own }) => ({ trial, run, why, usd: own }));
    return output.json('planned-runs', { dry_run: true, command, campaign: id, trials, usd });
  }
  output.data(`${command} would run ${grouped(runs.length)} trials of ${id}`);
  if (runs.length > 0) output.data(forecastText({ runs, usd }, output.width));
  const used = usedText(campaign.spec.budget, budgetUse(campaign));
  if (used !== null) output.data(`its budget: ${used}`);
}

/** For a terminal: trials with the reason and price of each, and the sum. */
function forecastText({ runs, usd }: RunForecast, width: number): string {
  const rows = runs
    .slice(0, MAX_LINES)
    .map(({ trialId, n, why, usd: own }) => [trialId, String(n), why, own === null ? 'unknown' : dollars(own)]);
  const unknown = runs.filter((run) => run.usd === null).length;
  return [
    plainTable(['trial', 'run', 'because', 'about'], rows, ['left', 'right', 'left', 'right'], {
      width,
      ranks: [0, 2, 1, 0],
    }),
    ...(runs.length > MAX_LINES ? [`… and ${grouped(runs.length - MAX_LINES)} more (--json lists all)`] : []),
    `about ${dollars(usd)} in all, by the mean cost of each system's trials so far${unknown > 0 ? `; ${grouped(unknown)} have none to go by` : ''}`,
  ].join('\n');
}
