import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { Records, TrialRow } from '../../../ports/records.js';
import { unknownRecord } from '../campaigns/admission.js';
import { campaignCosts, trialCosts } from '../ledger/kept-sums.js';
import { timeText, type Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';
import { judgedRuns, standing, STANDING_METRICS, STANDING_N, STANDING_RUN } from './standing-run.js';
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
    trials: (campaignId) => collected(ofCampaign(kysely, campaignId)),
    trialPages: (campaignId, visit) =>
      reading(kysely, (transaction) => readPages(transaction, ofCampaign(kysely, campaignId), visit)),
    rerunTrials: (campaignId) => {
      const own = sql`t.campaign_id = ${campaignId} and t.scored_n is not null`;
      const owners = sql`select t.id from trials t where ${own}`;
      return collected({
        trials: own,
        costs: trialCosts(sql`c.campaign_id = ${campaignId} and c.owner_id in (${owners})`),
      });
    },
    trial: (trialId) =>
      reading(kysely, async (transaction) => {
        const chosen = { trials: sql`t.id = ${trialId}`, costs: trialCosts(sql`c.owner_id = ${trialId}`) };
        const [trial] = (await select(chosen).execute(transaction)).rows.map(createRowReader());
        if (trial === undefined) throw unknownRecord('trial', trialId);
        return { trial, ...(await trialDetail(transaction, trialId)) };
      }),
  };
}

const ofCampaign = (kysely: Kysely<Tables>, campaignId: string): Chosen => ({
  trials: sql`t.campaign_id = ${campaignId}`,
  costs: campaignCosts(kysely, campaignId),
});

// A MB of rows: round trips cost nothing beside them, and what was read is collected before it grows old.
const PAGE_ROWS = 1_000;

/** In plan order, by a cursor: neither we nor the driver ever hold all rows. */
async function readPages(
  transaction: Transaction<Tables>,
  chosen: Chosen,
  visit: (page: readonly TrialRow[]) => void | Promise<void>,
): Promise<void> {
  // All of them are read: the plan that is fastest to its last row is wanted, not to its first. With 1 it would make all
  // texts before it sorts, and nobody had anything to do meanwhile.
  await sql`set local cursor_tuple_fraction = 0.99`.execute(transaction);
  await sql`declare trial_rows no scroll cursor for ${select(chosen)}`.execute(transaction);
  const fetched = (): Promise<{ rows: { texts: string }[] }> => {
    const page = sql<{ texts: string }>`fetch ${sql.lit(PAGE_ROWS)} from trial_rows`.execute(transaction);
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
  const chosen = { trials: sql`t.id = any(${own})`, costs: trialCosts(sql`c.owner_id = any(${own})`) };
  return (await select(chosen).execute(kysely)).rows.map(createRowReader());
}

/** A row of `trial_runs` as a small document. */
const RUN = sql`jsonb_build_object('n', n, 'outcome', outcome, 'reason', reason)`;

/** What a row is read by; all of it comes as text, and what is no text in the record is made of it. */
const COLUMNS = {
  id: sql`t.id`,
  campaign: sql`t.campaign_id`,
  batch: sql`t.batch_id`,
  task: sql`t.task_id`,
  system: sql`t.system_id`,
  repeat: sql`t.repeat`,
  group: sql`coalesce(k.task_group, '')`,
  category: sql`k.category`,
  state: sql`t.state`,
  outcome: standing('outcome'),
  blame: standing('blame'),
  reason: standing('reason'),
  message: standing('message'),
  advice: standing('advice'),
  metrics: sql`coalesce(${STANDING_METRICS}, '{}')`,
  n: STANDING_N,
  runs: sql`t.n`,
  again: sql`case when t.scored_n is not null then (
    select ${RUN} from trial_runs where trial_id = t.id and kind = 'again' order by n desc limit 1) end`,
  regraded: sql`case when s.kind = 'regrade' then (
    select ${RUN} || jsonb_build_object('made', jsonb_build_object('startedAt', j.started_at, 'endedAt', j.ended_at))
    from trial_runs where trial_id = t.id and n = s.of_run) end`,
  startedAt: standing('started_at'),
  endedAt: standing('ended_at'),
  microUsd: sql`coalesce(cost.micro_usd, 0)`,
  tokens: sql`coalesce(cost.tokens, 0)`,
  reusedCalls: sql`coalesce(cost.reused_calls, 0)`,
};

type Column = keyof typeof COLUMNS;
type Nullable =
  'category' | 'outcome' | 'blame' | 'reason' | 'message' | 'advice' | 'again' | 'regraded' | `${string}At`;
type Row = { [Name in Column]: Name extends Nullable ? string | null : string };

interface Chosen {
  /** A condition over `trials t`. */
  trials: RawBuilder<unknown>;
  /** What they cost, as {@link trialCosts} gives it: summed once for all of them, not once a trial. */
  costs: RawBuilder<unknown>;
}

/** A row as one JSON array: of columns the driver makes values one by one, which takes three times as long. */
function select(chosen: Chosen): RawBuilder<{ texts: string }> {
  const texts = Object.values(COLUMNS).map((column) => sql`(${column})::text`);
  return sql`
    with recursive ${judgedRuns(chosen.trials)}, cost as (${chosen.costs})
    select to_json(array[${sql.join(texts)}])::text as texts
    from trials t
    join batches b on b.id = t.batch_id
    left join campaign_tasks k on k.campaign_id = t.campaign_id and k.task_id = t.task_id
    left join cost on cost.trial_id = t.id
    ${STANDING_RUN}
    left join judged j on j.trial_id = t.id
    where ${chosen.trials} order by b.ordinal, t.ordinal`;
}

const PLACES = Object.fromEntries(Object.keys(COLUMNS).map((name, place) => [name, place])) as Record<Column, number>;

/** Reads rows of a page; equal texts and metrics are kept once: many trials have few different ones. */
function createRowReader(): (row: { texts: string }) => TrialRow {
  const texts = new Map<string, string>();
  const once = <Text extends string | null>(text: Text): Text => {
    if (text === null) return text;
    const known = texts.get(text);
    if (known === undefined) texts.set(text, text);
    return (known ?? text) as Text;
  };
  const documents = new Map<string, object>();
  const documentOf = (text: string): object => {
    const known = documents.get(text) ?? Object.freeze(JSON.parse(text) as object);
    documents.set(text, known);
    return known;
  };
  return ({ texts: line }) => {
    const values = JSON.parse(line) as (string | null)[];
    const of = <Name extends Column>(name: Name): Row[Name] => values[PLACES[name]] as Row[Name];
    return {
      id: of('id'),
      campaignId: once(of('campaign')),
      batchId: once(of('batch')),
      taskId: once(of('task')),
      systemId: once(of('system')),
      repeat: Number(of('repeat')),
      group: once(of('group')),
      category: once(of('category')),
      state: once(of('state')) as TrialRow['state'],
      outcome: once(of('outcome')) as TrialRow['outcome'],
      blame: once(of('blame')),
      reason: once(of('reason')),
      message: once(of('message')),
      advice: madeOf(of('advice'), documentOf),
      metrics: documentOf(of('metrics')) as TrialRow['metrics'],
      n: Number(of('n')),
      runs: Number(of('runs')),
      again: madeOf(of('again'), (text) => JSON.parse(text) as TrialRow['again']),
      regraded: madeOf(of('regraded'), regradedOf),
      startedAt: madeOf(of('startedAt'), timeText),
      endedAt: madeOf(of('endedAt'), timeText),
      costMicroUsd: Number(of('microUsd')),
      tokens: Number(of('tokens')),
      reusedCalls: Number(of('reusedCalls')),
    };
  };
}

const madeOf = <Value>(text: string | null, make: (text: string) => Value): Value | null =>
  text === null ? null : make(text);

type Regraded = NonNullable<TrialRow['regraded']>;

/** Its times are of a document, and become like all others. */
function regradedOf(text: string): Regraded {
  const { made, ...run } = JSON.parse(text) as Regraded;
  const isoTime = (time: string | null): string | null => time && new Date(time).toISOString();
  return { ...run, made: { startedAt: isoTime(made.startedAt), endedAt: isoTime(made.endedAt) } };
}
