import { sql } from '../query-builder.js';
import type { NotificationCall, NotificationEvent, NotifySpec } from '../../../contract/campaign.js';
import { storableText } from '../../../domain/text/storable.js';
import type { NotifyingCampaign } from '../../../ports/notifications.js';
import type { Records } from '../../../ports/records.js';
import type { Database } from '../schema/database.js';
import { reading } from '../schema/reading.js';
import { recordEvent } from './events.js';

/** Characters of what an endpoint or a command said. */
const REASON_LIMIT = 500;

interface Row {
  id: string;
  notify: NotifySpec[];
  ended_key: string | null;
  soft_key: string | null;
  moved_at: string | null;
  still_minutes: number | null;
  told: NotificationCall[];
}

/** Whom campaigns tell what: events, so that what was told is known wherever it was told from. */
export function notifications({ kysely }: Database): Pick<Records, 'notifyingCampaigns' | 'noteNotification'> {
  return {
    notifyingCampaigns: (server) =>
      reading(kysely, async (transaction) => {
        const { rows } = await sql<Row>`
          with chosen as (
            select c.*, c.spec -> 'notify' as notify from campaigns c
            where jsonb_array_length(coalesce(c.spec -> 'notify', '[]')) > 0 and c.epoch > 0
              and coalesce(c.server, ${server}) = ${server}),
          moved as (
            select c.id, greatest(c.running_since,
              (select max(greatest(started_at, ended_at)) from trials where campaign_id = c.id),
              (select max(greatest(started_at, ended_at)) from generations where campaign_id = c.id),
              (select max(a.ended_at) from attempts a join (
                 select 'trial' as kind, id from trials where campaign_id = c.id and state = 'running'
                 union all
                 select 'generation', id from generations where campaign_id = c.id and state = 'running') r
               on a.owner_kind = r.kind and a.owner_id = r.id where a.failure is null)) as at
            from chosen c where c.ended_as is null and c.running_since is not null
              -- A provider takes a day for a batch: that is no stall.
              and not exists (
                select from provider_batches b
                where b.campaign_id = c.id and b.ended_at is null and b.provider_id is not null and b.problem is null))
          select c.id, c.notify,
            case when c.ended_as is not null then c.epoch::text end as ended_key,
            case when exists (
              select from budgets b where b.scope = 'campaign:' || c.id
                and (b.settled_micro_usd >= b.soft_micro_usd or b.settled_tokens >= b.soft_tokens))
              or (c.spec #>> '{budget,soft}' is not null and c.admits_until <= clock_timestamp())
            then (select count(*) from events e where e.campaign_id = c.id and e.action = 'budget')::text end as soft_key,
            m.at as moved_at, extract(epoch from clock_timestamp() - m.at)::float8 / 60 as still_minutes,
            coalesce((
              select jsonb_agg(e.details) from events e
              where e.campaign_id = c.id and e.action in ('notified', 'notify-failed')), '[]') as told
          from chosen c left join moved m on m.id = c.id order by c.created_at`.execute(transaction);
        return rows.map(toCampaign);
      }),

    noteNotification: ({ campaignId, event, key, target, action, author, reason }) =>
      kysely.transaction().execute(async (transaction) => {
        // Locked: neither deleted nor told twice meanwhile.
        const { rows } = await sql<{ known: boolean }>`
          select exists (
            select from events e where e.campaign_id = c.id and e.action = ${action} and e.details ->> 'event' = ${event}
              and e.details ->> 'key' = ${key} and (e.details ->> 'target')::int = ${target}) as known
          from campaigns c where c.id = ${campaignId} for update`.execute(transaction);
        if (rows[0]?.known !== false) return;
        const details = { event, key, target };
        const told = storableText(reason.slice(0, REASON_LIMIT));
        await recordEvent(transaction, { campaignId, action, author, reason: told, details });
      }),
  };
}

function toCampaign({ id, notify, ended_key: ended, soft_key: soft, ...row }: Row): NotifyingCampaign {
  const holds: [NotificationEvent, string | null][] = [
    ['end', ended],
    ['soft_budget', soft],
  ];
  const { moved_at: since, still_minutes: minutes } = row;
  return {
    ...{ id, notify, told: row.told },
    now: holds.flatMap(([event, key]) => (key === null ? [] : [{ event, key }])),
    still: since === null || minutes === null ? null : { since, minutes },
  };
}
