import { setTimeout as sleep } from 'node:timers/promises';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import { isClosed } from '../campaigns/is-closed.js';
import { followCampaign, type FollowCallbacks } from '../campaigns/follow-campaign.js';
import { otherLeaseOwner } from '../campaigns/other-lease-owner.js';
import { workflowState } from '../campaigns/workflow-state.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import type { Engine } from '../engine.js';
import { isTemporalAway } from '../open-temporal.js';
import { inBackground, type Background } from './background.js';

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
export interface Ending extends Partial<FollowCallbacks> {
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

/**
 * Has a campaign closed whose desired state is `cancel`: by whoever runs it, or, where nobody does in time, by the
 * records alone. Null once it is closed; else what becomes of it, since it is left to itself.
 */
export async function endCampaign(
  context: Context,
  connection: Connection,
  ending: Ending,
): Promise<Background | null> {
  const abort = new AbortController();
  const opened = openInTime(context, connection);
  try {
    const inOrder = opened
      .then(async (access) =>
        access === null
          ? ('away' as const)
          : endInOrder(context, connection, { engine: access.engine, signal: abort.signal }, ending),
      )
      .catch(away);
    inOrder.catch(() => undefined); // where it is late, nobody listens any more
    const late = sleep(ending.seconds * ORDER_SHARE * 1_000, 'late' as const, { signal: abort.signal });
    late.catch(() => undefined);
    const end = await Promise.race([inOrder, late]);
    if (end === 'closed') return null;
    if (end !== 'late' && end !== 'away') return end;
    await closeByRecords(context, connection, ending, end === 'away' ? null : await engineIn(opened));
    return null;
  } finally {
    abort.abort();
    // One that hangs is not waited for.
    void opened.then((access) => access?.close()).catch(() => undefined);
  }
}

async function openInTime(context: Context, connection: Connection): Promise<Opened | null> {
  const { openEngine } = await import('../open-engine.js');
  return openEngine(context, connection, { deadlineMs: CONNECT_MS }).catch((error: unknown) => away(error) && null);
}

/** @throws the error, where it does not say that Temporal is unavailable */
function away(error: unknown): 'away' {
  if (!isTemporalAway(error)) throw error;
  return 'away';
}

/** null: still not there. */
async function engineIn(opened: Promise<Opened | null>): Promise<Engine | null> {
  return (await Promise.race([opened, sleep(0, null)]))?.engine ?? null;
}

async function endInOrder(
  context: Context,
  connection: Connection,
  { engine, signal }: { engine: Engine; signal: AbortSignal },
  ending: Ending,
): Promise<'closed' | 'late' | Background> {
  const { id, isDetached } = ending;
  const say = (message: string): void => context.notify({ type: 'notice', message });
  const owner = await otherLeaseOwner(context, connection.records, engine, id);
  if (signal.aborted) return 'late';
  if (owner !== null)
    say(`cancelling ${id}: its worker on ${owner.host} stops at its next admission; what it runs finishes`);
  else if ((await workflowState(context, connection, engine, id)).state !== 'fine' || signal.aborted) return 'late';
  else {
    await engine.wakeUp(id);
    await engine.cancel(id);
    say(`cancelling ${id}`);
  }
  const ended = isDetached ? 'detached' : await untilEnded(context, connection, { engine, signal }, ending);
  return ended === 'detached' ? inBackground(context, connection, { id, engine }) : ended;
}

/** Ctrl-C leaves it to itself. */
async function untilEnded(
  context: Context,
  connection: Connection,
  { engine, signal }: { engine: Engine; signal: AbortSignal },
  { id, onState = () => undefined, onDetach }: Ending,
): Promise<'closed' | 'detached' | 'late'> {
  const interrupt = context.onInterrupt();
  try {
    const followed = await followCampaign(context, connection, {
      ...{ id, engine, signal: AbortSignal.any([interrupt.signal, signal]) },
      ...{ onState, onDetach },
    });
    if (followed.ended === 'closed') return 'closed';
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
  context: Context,
  connection: Connection,
  { id, onDone }: Ending,
  engine: Engine | null,
): Promise<void> {
  const say = (message: string): void => context.notify({ type: 'notice', message });
  const epoch = await connection.records.supersede(id);
  say(
    engine === null
      ? `Temporal does not answer: ${id} is ended by its records; what is left of it there ends when it is back`
      : `ending ${id} by its records, and its workflows with it`,
  );
  onDone('whoever ran it writes nothing more');
  const terminated = engine?.terminate(id, 'durabench cancel').then(() => onDone('its workflows are terminated'));
  await Promise.race([terminated?.catch(() => undefined), sleep(TERMINATE_MS)]);
  if (epoch !== null) await closeTrials(connection, { id, epoch, onDone });
  say(`${id} has ended`);
}

/** In chunks. A worker that looks after cancelled campaigns may have taken it over meanwhile. */
async function closeTrials(
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
    while (!isClosed(await records.campaignStatus(id))) await sleep(POLL_MS);
  }
}
