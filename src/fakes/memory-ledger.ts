import type { AccountRef } from '../contract/stage.js';
import type { EvidenceRef } from '../contract/evidence.js';
import type { Failure } from '../contract/failure.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import type {
  Amount,
  AmountLimit,
  BudgetScope,
  Ledger,
  LostSend,
  Reservation,
  ReserveResult,
  ReusableAnswer,
  ReusedCall,
  ReuseResult,
  Settlement,
} from '../ports/ledger.js';

/** An account as the ledger sees it. */
interface MemoryAccount extends AccountRef {
  epoch: number;
  limits: AmountLimit;
  /** Share of the limits at which nothing more is admitted. */
  soft?: number | null;
  /** Whether a campaign's limit was reached: nothing more of it is admitted. Of a build it stays false. */
  exhausted: boolean;
}

/** A ledger without a database, with the world around it: accounts and which workers live. */
export interface MemoryLedger extends Ledger {
  /** By id. */
  readonly accounts: Map<string, MemoryAccount>;
  readonly aliveWorkers: Set<string>;
  /** What open and ended sends of an account add up to. */
  sums(accountId: string): { reserved: Amount; settled: Amount };
  /** Keys of the calls of an account. */
  keys(accountId: string): string[];
  recoveredCalls(accountId: string): number;
  replayedCalls(accountId: string): number;
  /** Answers of other campaigns, and what sending their calls would have cost. */
  reusedCalls(accountId: string): { calls: number; saved: Amount };
}

interface Send {
  worker: string;
  state: 'reserved' | 'sent' | 'settled' | 'released' | 'ambiguous';
  estimate: Amount;
  actual: Amount;
  completionId: string | null;
  isRecovered: boolean;
  isBatched: boolean;
  refusal: Failure | null;
  toldRun: number | null;
  /** Of `performance.now`. */
  openedAt: number;
  endedAt: number;
}

interface Call {
  accountId: string;
  /** `scope:id` of the system's own budgets it counts in. */
  scopes: string[];
  responseRef: EvidenceRef | null;
  isReplayed?: true;
  question: string | null;
  /** Of an answer of another campaign. */
  reused?: { from: string; saved: Amount };
  sends: Send[];
}

const NOTHING: Amount = { microUsd: 0, tokens: 0 };

/** One budget a reservation has to fit in. */
interface Budget {
  scope: BudgetScope;
  limit: AmountLimit;
  counts: (call: Call) => boolean;
}

/** For tests of what uses a ledger; passes the same conformance suite as the one in Postgres. */
export function createMemoryLedger(): MemoryLedger {
  const accounts = new Map<string, MemoryAccount>();
  const aliveWorkers = new Set<string>();
  const calls = new Map<string, Call>();
  let installation: AmountLimit = { microUsd: null, tokens: null };

  const sendOf = (key: string, attempt: number): Send => {
    const send = calls.get(key)?.sends[attempt - 1];
    if (!send) throw new DomainFailure('harness.bug', `There is no send ${attempt} of call ${key}.`);
    return send;
  };
  const end = (send: Send, state: Send['state'], actual: Amount): void => {
    if (!isOpen(send) && (state !== 'settled' || send.state === 'settled')) return;
    Object.assign(send, { state, actual, endedAt: performance.now() });
    for (const account of accounts.values()) {
      const { settled } = sumOf((call) => call.accountId === account.id);
      account.exhausted ||= account.kind === 'campaign' && isReached(account, settled);
    }
  };
  const endAbandoned = (sends: Send[], asker: string | null): void => {
    for (const send of sends.filter(isOpen)) {
      if (send.isBatched) continue;
      if (send.worker !== asker && aliveWorkers.has(send.worker)) continue;
      if (send.state === 'sent') end(send, 'ambiguous', send.estimate);
      else end(send, 'released', NOTHING);
    }
  };
  const sumOf = (counts: Budget['counts']): { reserved: Amount; settled: Amount } => {
    const sends = [...calls.values()].filter(counts).flatMap((call) => call.sends);
    return {
      reserved: total(sends.filter(isOpen).map((send) => send.estimate)),
      settled: total(sends.filter((send) => !isOpen(send)).map((send) => send.actual)),
    };
  };

  function reserve(reservation: Reservation): ReserveResult {
    const account = accounts.get(reservation.account.id);
    if (account?.epoch !== reservation.epoch) return { status: 'superseded' };
    const call = calls.get(reservation.key);
    if (call && (call.responseRef !== null || call.sends.some(isOpen))) return { status: 'in-flight' };
    const scopes = (reservation.systemLimits ?? []).map(({ scope, id }) => `${scope}:${id}`);
    for (const budget of budgetsOf(reservation, account)) {
      const { reserved, settled } = sumOf(budget.counts);
      const { scope, limit } = budget;
      if (passes(limit, settled, reservation.estimate)) {
        account.exhausted ||= account.kind === 'campaign' && (scope === 'campaign' || scope === 'installation');
        return { status: 'exhausted', scope, budget: { limit, settled, reserved } };
      }
      if (!passes(limit, total([settled, reserved]), reservation.estimate)) continue;
      for (const other of calls.values()) if (other.accountId === account.id) endAbandoned(other.sends, null);
      return { status: 'contended', scope };
    }
    const { question = null } = reservation;
    const opened = call ?? { accountId: account.id, scopes, responseRef: null, question, sends: [] };
    const { worker, estimate, isBatched = false } = reservation;
    const send = { state: 'reserved', actual: NOTHING, completionId: null, isRecovered: false, endedAt: 0 } as const;
    const batched = { isBatched, refusal: null, toldRun: null, openedAt: performance.now() };
    opened.sends.push({ ...send, ...batched, worker, estimate });
    calls.set(reservation.key, opened);
    return { status: 'reserved', attempt: opened.sends.length };
  }

  function budgetsOf({ systemLimits = [] }: Reservation, { kind, id, limits }: MemoryAccount): Budget[] {
    const own = systemLimits.map(({ scope, id: ofSystem, limit }): Budget => ({
      ...{ scope, limit },
      counts: (call) => call.scopes.includes(`${scope}:${ofSystem}`),
    }));
    const whole: Budget = { scope: kind, limit: limits, counts: (call) => call.accountId === id };
    return [...own, whole, { scope: 'installation', limit: installation, counts: () => true }];
  }

  function settle(key: string, attempt: number, answer: Settlement & { responseRef: EvidenceRef }): EvidenceRef {
    const send = sendOf(key, attempt);
    const call = calls.get(key)!;
    call.responseRef ??= answer.responseRef;
    send.isRecovered ||= answer.isRecovered === true && send.state !== 'settled';
    end(send, 'settled', answer.actual);
    return call.responseRef;
  }

  function reusableAnswer({ id }: AccountRef, question: string): ReusableAnswer | null {
    const has = (origin: string): boolean =>
      [...calls].some(([key, call]) => call.accountId === id && (call.reused?.from ?? key) === origin);
    for (const [key, { accountId, question: asked, responseRef, reused }] of calls) {
      const from = reused?.from ?? key;
      if (asked === question && responseRef !== null && accountId !== id && !has(from)) return { from, responseRef };
    }
    return null;
  }

  function reuse({ key, account, epoch, question, responseRef, from, saved }: ReusedCall): ReuseResult {
    if (accounts.get(account.id)?.epoch !== epoch) return 'superseded';
    const others = [...calls.values()].filter(({ accountId }) => accountId === account.id);
    if (calls.has(key)) return 'in-flight';
    if (others.some(({ reused }) => reused?.from === from)) return 'taken';
    calls.set(key, {
      ...{ accountId: account.id, scopes: [], question, responseRef, sends: [] },
      reused: { from, saved },
    });
    return 'reused';
  }

  return {
    accounts,
    aliveWorkers,
    sums: (accountId) => sumOf((call) => call.accountId === accountId),
    keys: (accountId) => [...calls].flatMap(([key, call]) => (call.accountId === accountId ? [key] : [])),
    recoveredCalls: (accountId) =>
      [...calls.values()]
        .filter((call) => call.accountId === accountId)
        .flatMap((call) => call.sends.filter((send) => send.isRecovered)).length,
    replayedCalls: (accountId) =>
      [...calls.values()].filter((call) => call.accountId === accountId && call.isReplayed).length,
    reusedCalls: (accountId) => {
      const saved = [...calls.values()].flatMap((call) =>
        call.accountId === accountId && call.reused ? [call.reused.saved] : [],
      );
      return { calls: saved.length, saved: total(saved) };
    },
    setLimit: async (account, { soft, ...limit }) => {
      const known = account === null ? undefined : accounts.get(account.id);
      if (known) Object.assign(known, { limits: limit, soft });
      else installation = limit;
    },
    callState: async (key, worker) => {
      const call = calls.get(key);
      if (!call) return { state: 'new' };
      if (call.responseRef) return { state: 'answered', responseRef: call.responseRef };
      endAbandoned(call.sends, worker);
      const open = call.sends.find(isOpen);
      if (open?.isBatched) return { state: 'batched', waitedMs: performance.now() - open.openedAt };
      if (open) return { state: 'in-flight', worker: open.worker };
      const { refusal: failure = null, toldRun = null } = call.sends.at(-1) ?? {};
      const refusal = failure === null ? {} : { refusal: { attempt: call.sends.length, failure, toldRun } };
      const ambiguous = call.sends.filter(isAmbiguous).length;
      return { state: 'unanswered', ambiguous, lost: lostSends(call), ...refusal };
    },
    reserve: async (reservation) => reserve(reservation),
    markSent: async (key, attempt) => {
      const send = sendOf(key, attempt);
      if (!isOpen(send))
        throw new DomainFailure('call.in-flight', 'The reservation was taken away before it was sent.');
      send.state = 'sent';
    },
    noteCompletion: async (key, attempt, completionId) => void Object.assign(sendOf(key, attempt), { completionId }),
    reusableAnswer: async (account, question) => reusableAnswer(account, question),
    reuse: async (call) => reuse(call),
    noteReplay: async (key) => void Object.assign(calls.get(key) ?? {}, { isReplayed: true }),
    settle: async (key, attempt, answer) => settle(key, attempt, answer),
    charge: async (key, attempt, settlement) => end(sendOf(key, attempt), 'settled', settlement.actual),
    release: async (key, attempt) => end(sendOf(key, attempt), 'released', NOTHING),
    noteRefusal: async (key, attempt, refusal) => {
      const send = sendOf(key, attempt);
      if (isOpen(send)) send.refusal = refusal;
    },
    noteTold: async (key, attempt, toldRun) => void Object.assign(sendOf(key, attempt), { toldRun }),
    markAmbiguous: async (key, attempt) => end(sendOf(key, attempt), 'ambiguous', sendOf(key, attempt).estimate),
    repeatedCalls: async ({ id }) => {
      const billed = (call: Call): number => call.sends.filter((send) => /settled|ambiguous/.test(send.state)).length;
      return [...calls.values()].filter((call) => call.accountId === id && billed(call) > 1).length;
    },
  };
}

function isOpen(send: Send): boolean {
  return send.state === 'reserved' || send.state === 'sent';
}

const isAmbiguous = ({ state }: Send): boolean => state === 'ambiguous';

function lostSends({ sends }: Call): LostSend[] {
  return sends
    .map((send, index) => ({ ...send, attempt: index + 1 }))
    .filter((send) => isAmbiguous(send) && send.completionId !== null)
    .map(({ attempt, completionId, endedAt }) => {
      return { attempt, completionId: completionId ?? '', lostForMs: performance.now() - endedAt };
    })
    .reverse();
}

function total(amounts: Amount[]): Amount {
  return amounts.reduce((a, b) => ({ microUsd: a.microUsd + b.microUsd, tokens: a.tokens + b.tokens }), NOTHING);
}

function isReached({ limits, soft }: MemoryAccount, settled: Amount): boolean {
  const reached = (limit: number | null, spent: number): boolean =>
    limit !== null && soft != null && spent >= Math.floor(limit * soft);
  return reached(limits.microUsd, settled.microUsd) || reached(limits.tokens, settled.tokens);
}

function passes(limits: AmountLimit, spent: Amount, more: Amount): boolean {
  return (
    (limits.microUsd !== null && spent.microUsd + more.microUsd > limits.microUsd) ||
    (limits.tokens !== null && spent.tokens + more.tokens > limits.tokens)
  );
}
