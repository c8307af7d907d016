import { setTimeout as sleep } from 'node:timers/promises';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { comeBack } from './come-back.js';
import type { Engine } from '../../../client/engine.js';
import { isClosed } from '../../../client/campaigns/ended-campaign.js';
import { watchCampaign } from './watch-campaign.js';
import { onInterrupt } from '../../interrupt.js';
import { isTemporalAway } from '../../../client/open-temporal.js';
import { otherLeaseOwner } from '../../../client/campaigns/refuse-held.js';
import type { Session } from '../../session.js';
import { workflowState } from '../../../client/campaigns/workflow-state.js';
import type { Connection } from '../../../client/connection.js';

/** A server that is up answers sooner, and a cancel must not wait for one that is not. */
const CONNECT_MS = 5_000;
/**
 * What is stopped in order (containers removed, calls settled) takes seconds. Whatever holds it up, Temporal's answers
 * included, the campaign is ended by the records after this share of the time.
 */
const ORDER_SHARE = 2 / 3;
/** Workflows that nobody runs may be left to end by themselves: a worker looks after them. */
const TERMINATE_MS = 4_000;
const POLL_MS = 500;

/** A campaign that is to end. */
export interface Ending {
  id: string;
  isDetached: boolean;
  /** How long it may take. */
  seconds: number;
  /** Told of each thing that is done. */
  onDone: (what: string) => void;
}

interface Opened {
  engine: Engine;
  close: () => Promise<void>;
}

/** Has the campaign closed: by whoever runs it, or, where nobody does in time, by the records alone. */
export async function endCampaign(session: Session, place: Connection, ending: Ending): Promise<void> {
  const abort = new AbortController();
  const opened = openInTime(session, place);
  try {
    const inOrder = opened
      .then((connection) =>
        connection === null
          ? ('away' as const)
          : endInOrder(session, place, { engine: connection.engine, signal: abort.signal }, ending),
      )
      .catch(away);
    inOrder.catch(() => undefined); // where it is late, nobody listens any more
    const late = sleep(ending.seconds * ORDER_SHARE * 1_000, 'late' as const, { signal: abort.signal });
    late.catch(() => undefined);
    const end = await Promise.race([inOrder, late]);
    if (end !== 'done') await closeByRecords(session, place, ending, end === 'away' ? null : await engineIn(opened));
  } finally {
    abort.abort();
    // One that hangs is not waited for.
    void opened.then((connection) => connection?.close()).catch(() => undefined);
  }
}

async function openInTime(session: Session, place: Connection): Promise<Opened | null> {
  const { openEngine } = await import('../../../client/open-engine.js');
  return openEngine(session, place, { deadlineMs: CONNECT_MS }).catch((error: unknown) => away(error) && null);
}

/** @throws the error, where it does not say that Temporal is away */
function away(error: unknown): 'away' {
  if (!isTemporalAway(error)) throw error;
  return 'away';
}

/** null: still not there. */
async function engineIn(opened: Promise<Opened | null>): Promise<Engine | null> {
  return (await Promise.race([opened, sleep(0, null)]))?.engine ?? null;
}

async function endInOrder(
  session: Session,
  place: Connection,
  { engine, signal }: { engine: Engine; signal: AbortSignal },
  { id, isDetached }: Ending,
): Promise<'done' | 'late'> {
  const { output } = session;
  const owner = await otherLeaseOwner(session, place.records, engine, id);
  if (signal.aborted) return 'late';
  if (owner !== null)
    output.say(`cancelling ${id}: its worker on ${owner.host} stops at its next admission; what it runs finishes`);
  else if ((await workflowState(session, place, engine, id)).state !== 'fine' || signal.aborted) return 'late';
  else {
    await engine.wakeUp(id);
    await engine.cancel(id);
    output.say(`cancelling ${id}`);
  }
  const ended = isDetached ? 'detached' : await untilEnded(session, place, { engine, signal }, id);
  if (ended === 'detached') output.say(await comeBack(session, place, { id, engine }));
  return ended === 'late' ? 'late' : 'done';
}

/** Ctrl-C leaves it to itself. */
async function untilEnded(
  session: Session,
  place: Connection,
  { engine, signal }: { engine: Engine; signal: AbortSignal },
  id: string,
): Promise<'closed' | 'detached' | 'late'> {
  const interrupt = onInterrupt();
  try {
    const watch = { id, engine, signal: AbortSignal.any([interrupt.signal, signal]) };
    const watched = await watchCampaign(session, place, watch);
    if (watched.ended === 'closed') return 'closed';
    return interrupt.signal.aborted ? 'detached' : 'late';
  } finally {
    interrupt.release();
  }
}

/**
 * Ends a campaign that nobody ends: whoever still runs it is superseded, it is closed, and its workflows are
 * terminated. @param engine null: Temporal does not answer
 */
async function closeByRecords(
  session: Session,
  place: Connection,
  { id, onDone }: Ending,
  engine: Engine | null,
): Promise<void> {
  const { records } = place;
  const { output } = session;
  const epoch = await records.supersede(id);
  output.say(
    engine === null
      ? `Temporal does not answer: ${id} is ended by its records; what is left of it there ends when it is back`
      : `ending ${id} by its records, and its workflows with it`,
  );
  onDone('whoever ran it writes nothing more');
  const terminated = engine?.terminate(id, 'durabench cancel').then(() => onDone('its workflows are terminated'));
  await Promise.race([terminated?.catch(() => undefined), sleep(TERMINATE_MS)]);
  if (epoch !== null) await closeBooks(place, { id, epoch, onDone });
  output.say(`${id} has ended`);
}

/** In chunks. A worker that looks after cancelled campaigns may have taken it over meanwhile. */
async function closeBooks(
  { records }: Connection,
  { id, epoch, onDone }: { id: string; epoch: number; onDone: Ending['onDone'] },
): Promise<void> {
  try {
    for (let status = null; status === null;) {
      ({ status } = await records.closeCampaign({ campaignId: id, epoch, cancelled: true }));
      if (status === null) onDone('some of its open trials are ended as not run');
    }
  } catch (error) {
    if (!(error instanceof DomainFailure) || error.type !== 'operator.superseded') throw error;
    while (!isClosed((await records.campaign(id)).status)) await sleep(POLL_MS);
  }
}
