import type { Advice } from '../../../contract/problem.js';
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { Outcome } from '../../../contract/verdict.js';
import type { Records, TrialRow } from '../../../ports/records.js';
import { unknownRecord } from '../campaigns/admission.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';
import { standing, STANDING_METRICS, STANDING_N, STANDING_RUN } from './standing-run.js';
import type { Tables } from '../schema/tables.js';
import { trialDetail } from './trial-detail.js';

/** Trials for lists, reports and `show`. */
export function trialRows({ kysely }: Database): Pick<Records, 'trials' | 'trialPages' | 'rerunTrials' | 'trial'> {
  const collected = async (chosen: Chosen): Promise<TrialRow[]> => {
    const trials: TrialRow[] = [];
    await reading(kysely, (transaction) => readPages(transaction, chosen, (page) => void trials.push(...page)));
    return trials;
  };
  return {
    trials: (campaignId) => collected(ofCampaign(campaignId)),
    trialPages: (campaignId, visit) =>
      reading(kysely, (transaction) => readPages(transaction, ofCampaign(campaignId), visit)),
    rerunTrials: (campaignId) => {
      const own = sql`t.campaign_id = ${campaignId} and t.scored_n is not null`;
      const owners = sql`select t.id from trials t where ${own}`;
      return collected({ trials: own, calls: sql`c.campaign_id = ${campaignId} and c.owner_id in (${owners})` });
    },
    trial: (trialId) =>
      reading(kysely, async (transaction) => {
        const chosen = { trials: sql`t.id = ${trialId}`, calls: sql`c.owner_id = ${trialId}` };
        const [trial] = (await select(chosen).execute(transaction)).rows.map(createRowReader());
        if (trial === undefined) throw unknownRecord('trial', trialId);
        return { trial, ...(await trialDetail(transaction, trialId)) };
      }),
  };
}

const ofCampaign = (campaignId: string): Chosen => ({
  trials: sql`t.campaign_id = ${campaignId}`,
  calls: sql`c.campaign_id = ${campaignId}`,
});

// A MB of rows: round trips cost nothing beside them, and what was read is collected before it grows old.
const PAGE_ROWS = 1_000;

/** In plan order, by a cursor: neither we nor the driver ever hold all rows. */
async function readPages(
  transaction: Transaction<Tables>,
  chosen: Chosen,
  visit: (page: readonly TrialRow[]) => void | Promise<void>,
): Promise<void> {
  // All of them are read: the plan that is fastest to its last row is wanted, not to its first.
  await sql`set local cursor_tuple_fraction = 1`.execute(transaction);
  await sql`declare trial_rows no scroll cursor for ${select(chosen)}`.execute(transaction);
  const fetched = (): Promise<{ rows: Row[] }> => {
    const page = sql<Row>`fetch ${sql.lit(PAGE_ROWS)} from trial_rows`.execute(transaction);
    page.catch(() => undefined); // told to whoever waits for it
    return page;
  };
  let next = fetched();
  for (;;) {
    const { rows } = await next;
    const isLast = rows.length < PAGE_ROWS;
    // Postgres finds the next ones while these are looked at.
    if (!isLast) next = fetched();
    if (rows.length > 0) await visit(rows.map(createRowReader()));
    if (isLast) break;
  }
  await sql`close trial_rows`.execute(transaction);
}

/** Whole rows of these trials, in plan order. */
export async function trialsWithIds(kysely: Kysely<Tables>, ids: readonly string[]): Promise<TrialRow[]> {
  const own = [...ids];
  const chosen = { trials: sql`t.id = any(${own})`, calls: sql`c.owner_id = any(${own})` };
  return (await select(chosen).execute(kysely)).rows.map(createRowReader());
}

interface Row {
  id: string;
  campaign_id: string;
  batch_id: string;
  task_id: string;
  system_id: string;
  repeat: number;
  task_group: string | null;
  category: string | null;
  state: TrialRow['state'];
  outcome: Outcome | null;
  blame: string | null;
  reason: string | null;
  message: string | null;
  /** JSON. */
  advice: string | null;
  /** JSON. */
  metrics: string | null;
  n: number;
  runs: number;
  again: TrialRow['again'];
  regraded: TrialRow['regraded'];
  started_at: string | null;
  ended_at: string | null;
  micro_usd: number | null;
  tokens: number | null;
  reused_calls: number | null;
}

/** Which rows are read, as conditions over `trials t` and `calls c`. */
interface Chosen {
  trials: RawBuilder<unknown>;
  calls: RawBuilder<unknown>;
}

/** The costs are summed once for all chosen trials, not once a trial. */
function select(chosen: Chosen): RawBuilder<Row> {
  return sql<Row>`
    with cost as (
      select c.owner_id, sum(s.actual_micro_usd)::bigint as micro_usd,
        sum(s.actual_tokens)::bigint as tokens
      from calls c join sends s on s.key = c.key
      where ${chosen.calls} and c.owner_kind = 'trial' and s.state in ('settled', 'ambiguous') group by c.owner_id),
    reused as (
      select c.owner_id, count(*) as calls from calls c
      where ${chosen.calls} and c.owner_kind = 'trial' and c.reused_from is not null group by c.owner_id)
    select t.id, t.campaign_id, t.batch_id, t.task_id, t.system_id, t.repeat, k.task_group, k.category, t.state,
      ${STANDING_N} as n, t.n as runs, ${standing('outcome')} as outcome, ${standing('blame')} as blame,
      ${standing('reason')} as reason, ${standing('message')} as message,
      (${standing('advice')})::text as advice, (${STANDING_METRICS})::text as metrics,
      ${standing('started_at')} as started_at, ${standing('ended_at')} as ended_at,
      case when t.scored_n is not null then (
        select ${RUN} from trial_runs where trial_id = t.id and kind = 'again' order by n desc limit 1) end as again,
      case when s.kind = 'regrade' then (
        select ${RUN} || jsonb_build_object('made', ${MADE}) from trial_runs
        where trial_id = t.id and n = s.of_run) end as regraded,
      cost.micro_usd, cost.tokens, reused.calls as reused_calls
    from trials t
    join batches b on b.id = t.batch_id
    left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
    left join cost on cost.owner_id = t.id
    left join reused on reused.owner_id = t.id
    ${STANDING_RUN}
    where ${chosen.trials} order by b.ordinal, t.ordinal`;
}

/** A row of `trial_runs` as a small document. */
const RUN = sql`jsonb_build_object('n', n, 'outcome', outcome, 'reason', reason)`;

/** Times of the run whose steps were judged anew, also where it was so more than once. */
const MADE = sql`(
  with recursive judged as (
    select n, kind, of_run, started_at, ended_at from trial_runs where trial_id = t.id and n = s.of_run
    union all
    select r.n, r.kind, r.of_run, r.started_at, r.ended_at from judged j
    join trial_runs r on r.trial_id = t.id and r.n = j.of_run where j.kind = 'regrade')
  select jsonb_build_object('startedAt', started_at, 'endedAt', ended_at) from judged where kind <> 'regrade')`;

type Made = NonNullable<TrialRow['regraded']>['made'];

/** Times out of a JSON document, in the form of all others. */
const isoTimes = ({ startedAt, endedAt }: Made): Made => ({ startedAt: isoTime(startedAt), endedAt: isoTime(endedAt) });
const isoTime = (time: string | null): string | null => time && new Date(time).toISOString();

/** Reads rows of a page; equal texts and metrics are kept once: many trials have few different ones. */
function createRowReader(): (row: Row) => TrialRow {
  const texts = new Map<string, string>();
  const once = <Text extends string | null>(text: Text): Text => {
    if (text === null) return text;
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return (known ?? text) as Text;
  };
  const parsed = new Map<string, TrialRow['metrics']>();
  const metricsOf = (text: string | null): TrialRow['metrics'] => {
    const known = parsed.get(text ?? '{}');
    if (known !== undefined) return known;
    const metrics = Object.freeze(JSON.parse(text ?? '{}') as TrialRow['metrics']);
    parsed.set(text ?? '{}', metrics);
    return metrics;
  };
  const advices = new Map<string, Advice>();
  const adviceOf = (text: string | null): Advice | null => {
    if (text === null) return null;
    const known = advices.get(text) ?? Object.freeze(JSON.parse(text) as Advice);
    advices.set(text, known);
    return known;
  };
  return (row) => ({
    id: row.id,
    campaignId: once(row.campaign_id),
    batchId: once(row.batch_id),
    taskId: once(row.task_id),
    systemId: once(row.system_id),
    repeat: row.repeat,
    group: once(row.task_group ?? ''),
    category: once(row.category),
    state: once(row.state),
    outcome: once(row.outcome),
    blame: once(row.blame),
    reason: once(row.reason),
    message: once(row.message),
    advice: adviceOf(row.advice),
    metrics: metricsOf(row.metrics),
    n: row.n,
    runs: row.runs,
    again: row.again,
    regraded: row.regraded && { ...row.regraded, made: isoTimes(row.regraded.made) },
    startedAt: row.started_at,
    endedAt: row.ended_at,
    costMicroUsd: row.micro_usd ?? 0,
    tokens: row.tokens ?? 0,
    reusedCalls: row.reused_calls ?? 0,
  });
}
