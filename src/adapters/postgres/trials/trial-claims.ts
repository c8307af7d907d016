import type { Kysely, Transaction } from 'kysely';
import { sql } from '../query-builder.js';
import type { JsonObject } from '../../../contract/json.js';
import type { TrialSpec } from '../../../contract/trial.js';
import type { Outcome, TrialEnd } from '../../../contract/verdict.js';
import type { Claim, Records } from '../../../ports/records.js';
import {
  ADMISSION,
  IS_OUT_OF_BUDGET,
  holdEpoch,
  refusal,
  superseded,
  unknownRecord,
  type AdmissionRow,
} from '../campaigns/admission.js';
import type { Database } from '../schema/database.js';
import { jsonText, messageText } from './open-trials.js';
import type { Tables } from '../schema/tables.js';

type ClaimInput = Parameters<Records['claimTrial']>[0];

/** Claiming and closing trials. */
export function trialClaims({ kysely }: Database): Pick<Records, 'claimTrial' | 'admitTrial' | 'closeTrial'> {
  return {
    // Nearly every claim finds its trial planned: one statement. Whatever else is the case is settled under a lock.
    claimTrial: async (input) =>
      (await claimPlanned(input)) ?? kysely.transaction().execute((transaction) => claimUnderLock(transaction, input)),

    admitTrial: async (input) => {
      const answer = await admit(kysely, input);
      // A look is enough nearly every time; what a pause puts back is put back under a lock.
      return answer.action === 'pause'
        ? kysely.transaction().execute((transaction) => hold(transaction, input))
        : answer;
    },

    async closeTrial({ trialId, epoch, n, end }) {
      if (await close({ trialId, epoch, n, end })) return;
      const { rows } = await sql<{ state: string; n: number; epoch: number }>`
        select t.state, t.n, c.epoch from trials t join campaigns c on c.id = t.campaign_id
        where t.id = ${trialId}`.execute(kysely);
      const trial = rows[0];
      if (trial === undefined) throw unknownRecord('trial', trialId);
      if (trial.epoch !== epoch || trial.n !== n) throw superseded(`run ${n} of trial ${trialId}`);
      // Already done: the first end of a run stays.
    },
  };

  async function claimPlanned(input: ClaimInput): Promise<Claim | undefined> {
    const { rows } = await sql<InputRow & { n: number }>`
      -- Locked as by holdEpoch, in the same statement.
      with campaign as (
        select c.id, c.suite from campaigns c join trials t on t.campaign_id = c.id
        where t.id = ${input.trialId} and c.epoch = ${input.epoch} and c.desired_state = 'run'
          and not ${IS_OUT_OF_BUDGET}
        for share of c),
      claimed as (
        update trials t set state = 'running', claimed_epoch = ${input.epoch},
          workflow_run_id = ${input.workflowRunId}, started_at = coalesce(t.started_at, now())
        from campaign c
        where t.id = ${input.trialId} and c.id = t.campaign_id and t.state = 'planned'
        returning t.id, t.task_id, t.system_id, t.repeat, t.settings, t.n, c.suite),
      run as (
        update trial_runs r set epoch = ${input.epoch}, workflow_id = ${input.workflowId},
          workflow_run_id = ${input.workflowRunId}, started_at = coalesce(r.started_at, now())
        from claimed where r.trial_id = claimed.id and r.n = claimed.n)
      select * from claimed`.execute(kysely);
    return rows[0] && run(rows[0], rows[0].n);
  }

  async function close({ trialId, epoch, n, end }: Parameters<Records['closeTrial']>[0]): Promise<boolean> {
    // Who may have to write into the campaign's row locks it before the trial's, as an operator does who sets a limit.
    const lock = isOutOfBudget(end) ? sql`for no key update of c` : sql``;
    const { rows } = await sql<{ id: string }>`
      with campaign as (
        select c.id, c.epoch from campaigns c join trials t on t.campaign_id = c.id where t.id = ${trialId} ${lock}),
      ended as (
        update trials t set state = 'done', outcome = ${end.outcome}, blame = ${end.blame}, reason = ${end.reason},
          message = ${messageText(end)}, advice = ${jsonText(end.advice)}::jsonb, metrics = ${jsonText(end.verdict?.metrics)}::jsonb, ended_at = now(),
          scored_n = case when r.kind = 'regrade' and ${end.verdict !== null}::boolean then ${n} else t.scored_n end
        from campaign c, trial_runs r
        where t.id = ${trialId} and t.n = ${n} and t.state <> 'done' and c.id = t.campaign_id and c.epoch = ${epoch}
          and r.trial_id = t.id and r.n = t.n
        returning t.id, t.campaign_id),
      run as (
        update trial_runs r set outcome = ${end.outcome}, blame = ${end.blame}, reason = ${end.reason},
          message = ${messageText(end)}, advice = ${jsonText(end.advice)}::jsonb, verdict = ${jsonText(end.verdict)}::jsonb,
          skipped = ${jsonText(end.skipped)}::jsonb, ended_at = now()
        from ended where r.trial_id = ended.id and r.n = ${n}),
      budget as (
        update campaigns c set budget_exhausted_at = now() from ended
        where c.id = ended.campaign_id and c.budget_exhausted_at is null and ${isOutOfBudget(end)}::boolean)
      select id from ended`.execute(kysely);
    return rows.length > 0;
  }
}

async function claimUnderLock(transaction: Transaction<Tables>, input: ClaimInput): Promise<Claim> {
  await holdEpoch(transaction, 'trials', input.trialId);
  // Locked first, read after: a statement that waits for a lock goes on with the campaign's row as it was before.
  await sql`select from trials where id = ${input.trialId} for update`.execute(transaction);
  const { rows } = await sql<TrialState>`
    select t.id, t.task_id, t.system_id, t.repeat, t.settings, t.n, t.state, t.outcome, t.claimed_epoch,
      t.workflow_run_id, c.suite, ${ADMISSION}
    from trials t join campaigns c on c.id = t.campaign_id
    where t.id = ${input.trialId}`.execute(transaction);
  const trial = rows[0];
  if (trial === undefined) throw unknownRecord('trial', input.trialId);
  const isCurrent = trial.epoch === input.epoch;
  if (isCurrent && trial.state === 'done') return { action: 'skip', outcome: trial.outcome };
  const isOwn = trial.claimed_epoch === input.epoch && trial.workflow_run_id === input.workflowRunId;
  if (isCurrent && trial.state === 'running' && isOwn) return run(trial, trial.n);
  const refused = refusal(trial, input.epoch);
  if (refused) return refused;
  // Claimed by a workflow run that is gone (terminated, or from an earlier epoch): its writes are refused by n.
  const n = trial.state === 'running' ? trial.n + 1 : trial.n;
  await startRun(transaction, input, n);
  return run(trial, n);
}

type AdmitInput = Parameters<Records['admitTrial']>[0];

async function admit(
  kysely: Kysely<Tables>,
  { trialId, epoch, n }: AdmitInput,
): Promise<Awaited<ReturnType<Records['admitTrial']>>> {
  const { rows } = await sql<AdmissionRow & { n: number; state: TrialState['state']; is_claimed: boolean }>`
    select ${ADMISSION}, t.n, t.state, t.claimed_epoch is not null as is_claimed
    from trials t join campaigns c on c.id = t.campaign_id where t.id = ${trialId}`.execute(kysely);
  const trial = rows[0];
  if (trial === undefined) throw unknownRecord('trial', trialId);
  if (trial.n !== n || trial.state === 'done') return { action: 'stop', reason: 'operator.superseded' };
  const refused = refusal(trial, epoch);
  if (refused !== undefined && refused.action !== 'skip') return refused;
  // Put back before: whoever asked then did not hear it.
  return { action: trial.is_claimed ? 'run' : 'pause' };
}

/** Nothing is lost: its steps are recorded, and run n begins where it was held. */
async function hold(transaction: Transaction<Tables>, input: AdmitInput): ReturnType<Records['admitTrial']> {
  await holdEpoch(transaction, 'trials', input.trialId);
  await sql`select from trials where id = ${input.trialId} for update`.execute(transaction);
  const answer = await admit(transaction, input);
  if (answer.action === 'pause')
    await sql`
      update trials set state = 'planned', claimed_epoch = null, workflow_run_id = null
      where id = ${input.trialId}`.execute(transaction);
  return answer;
}

async function startRun(transaction: Transaction<Tables>, input: ClaimInput, n: number): Promise<void> {
  await sql`
    update trials set state = 'running', claimed_epoch = ${input.epoch}, workflow_run_id = ${input.workflowRunId},
      started_at = case when n = ${n} then coalesce(started_at, now()) else now() end, n = ${n}
    where id = ${input.trialId}`.execute(transaction);
  await sql`
    update trial_runs set ended_at = now(), reason = 'run.interrupted'
    where trial_id = ${input.trialId} and n < ${n} and ended_at is null`.execute(transaction);
  // Run n is planned already, or takes over what the run before it was for.
  await sql`
    insert into trial_runs (trial_id, n, kind, of_run, editions, fresh, epoch, workflow_id, workflow_run_id, started_at)
    select trial_id, ${n}::integer, kind, of_run, editions, fresh, ${input.epoch}::integer, ${input.workflowId},
      ${input.workflowRunId}, now()
    from trial_runs where trial_id = ${input.trialId} and n <= ${n} order by n desc limit 1
    on conflict (trial_id, n) do update set epoch = excluded.epoch, workflow_id = excluded.workflow_id,
      workflow_run_id = excluded.workflow_run_id, started_at = coalesce(trial_runs.started_at, excluded.started_at)`.execute(
    transaction,
  );
}

interface InputRow {
  id: string;
  task_id: string;
  system_id: string;
  repeat: number;
  settings: JsonObject;
  suite: string;
}

interface TrialState extends InputRow, AdmissionRow {
  n: number;
  state: 'planned' | 'running' | 'done';
  outcome: Outcome | null;
  claimed_epoch: number | null;
  workflow_run_id: string | null;
}

function run(trial: InputRow, n: number): Claim {
  const spec = {
    trialId: trial.id,
    taskId: trial.task_id,
    systemId: trial.system_id,
    repeat: trial.repeat,
    settings: trial.settings,
  } satisfies TrialSpec;
  return { action: 'run', n, suite: trial.suite, spec };
}

const isOutOfBudget = (end: TrialEnd): boolean => end.outcome === 'not_run' && end.blame === 'budget';
