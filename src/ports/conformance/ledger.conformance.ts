import { describe, expect, it } from 'vitest';
import type { AccountRef } from '../../contract/stage.js';
import type { EvidenceRef } from '../../contract/evidence.js';
import type { Amount, AmountLimit, Ledger, Reservation, ReserveResult, ReusedCall, SystemLimit } from '../ledger.js';

/** Counters of the budget row, and the sums over sends they must equal. */
export interface LedgerSums {
  counters: { reserved: Amount; settled: Amount };
  sums: { reserved: Amount; settled: Amount };
}

/** A ledger with what surrounds it: accounts of one kind and worker leases. */
export interface LedgerBench {
  ledger: Ledger;
  /** A fresh account at epoch 1 with limits (null = none). */
  addAccount: (limits: AmountLimit & { soft?: number }) => Promise<AccountRef>;
  raiseEpoch: (account: AccountRef) => Promise<void>;
  setAlive: (worker: string, alive: boolean) => Promise<void>;
  sums: (account: AccountRef) => Promise<LedgerSums>;
  /** Whether a campaign admits nothing more; never true of a build, whose steps fail at the limit. */
  isExhausted: (account: AccountRef) => Promise<boolean>;
  /** Sends whose answers were fetched. */
  recoveredCalls: (account: AccountRef) => Promise<number>;
  /** Answered calls that were asked again. */
  replayedCalls: (account: AccountRef) => Promise<number>;
  /** Answers of other campaigns, and what sending their calls would have cost. */
  reusedCalls: (account: AccountRef) => Promise<{ calls: number; saved: Amount }>;
}

/** What every ledger does, whatever it is stored in and whoever owns the account. */
export function ledgerConformance(name: string, openWith: (kind: AccountRef['kind']) => LedgerBench): void {
  describe.each(['campaign', 'build'] as const)(`${name} is a ledger for accounts of a %s`, (kind) => {
    const open = (): LedgerBench => openWith(kind);

    it('knows nothing of a call it was never told of', async () => {
      const { ledger } = open();
      expect(await ledger.callState('no such call', 'worker-1')).toEqual({ state: 'new' });
    });

    it('settles a call once, at the provider’s price, and answers from then on', async () => {
      const bench = open();
      const call = await started(bench);
      await bench.ledger.settle(call.key, 1, answer(40, 4));
      await bench.ledger.settle(call.key, 1, answer(40, 4));
      expect(await bench.ledger.callState(call.key, 'worker-1')).toEqual({ state: 'answered', responseRef: ref('a') });
      expect(await bench.sums(call.account)).toEqual(equalSums([0, 0], [40, 4]));
      expect((await bench.ledger.reserve(call)).status).toBe('in-flight');
      expect(await bench.ledger.repeatedCalls(call.account)).toBe(0);
    });

    it('counts a call that was asked again once, however often it was', async () => {
      const bench = open();
      const call = await started(bench);
      await bench.ledger.settle(call.key, 1, answer(40, 4));
      expect(await bench.replayedCalls(call.account)).toBe(0);
      for (let times = 0; times < 2; times += 1) await bench.ledger.noteReplay(call.key);
      expect(await bench.replayedCalls(call.account)).toBe(1);
      expect(await bench.ledger.repeatedCalls(call.account)).toBe(0);
    });

    it('charges what the provider says even above the estimate', async () => {
      const bench = open();
      const call = await started(bench);
      await bench.ledger.settle(call.key, 1, answer(170, 17));
      expect(await bench.sums(call.account)).toEqual(equalSums([0, 0], [170, 17]));
    });

    it('frees the money of a released send and lets the call go out again', async () => {
      const bench = open();
      const call = await started(bench);
      await bench.ledger.release(call.key, 1, '429');
      await bench.ledger.release(call.key, 1, '429');
      expect(await bench.sums(call.account)).toEqual(equalSums([0, 0], [0, 0]));
      expect(await bench.ledger.callState(call.key, 'worker-1')).toEqual({
        state: 'unanswered',
        ambiguous: 0,
        lost: [],
      });
      expect(await bench.ledger.reserve(call)).toEqual({ status: 'reserved', attempt: 2 });
    });

    it('settles an ambiguous send at its estimate, and a late answer replaces it', async () => {
      const bench = open();
      const call = await started(bench);
      await bench.ledger.markAmbiguous(call.key, 1, 'timeout');
      expect(await bench.ledger.callState(call.key, 'worker-1')).toEqual({
        state: 'unanswered',
        ambiguous: 1,
        lost: [],
      });
      expect(await bench.sums(call.account)).toEqual(equalSums([0, 0], [100, 10]));
      await bench.ledger.settle(call.key, 1, answer(30, 3));
      expect(await bench.sums(call.account)).toEqual(equalSums([0, 0], [30, 3]));
    });

    it('keeps the first answer when a second send was answered too, and counts both charges', async () => {
      const bench = open();
      const call = await started(bench);
      await bench.ledger.markAmbiguous(call.key, 1, 'timeout');
      await bench.ledger.reserve(call);
      await bench.ledger.markSent(call.key, 2);
      expect(await bench.ledger.settle(call.key, 2, answer(40, 4, 'second'))).toEqual(ref('second'));
      expect(await bench.ledger.settle(call.key, 1, answer(30, 3, 'late'))).toEqual(ref('second'));
      expect(await bench.sums(call.account)).toEqual(equalSums([0, 0], [70, 7]));
      expect(await bench.ledger.repeatedCalls(call.account)).toBe(1);
    });

    it('remembers what the provider calls an answer that began and got lost; fetched, it is paid for once', async () => {
      const bench = open();
      const call = await started(bench);
      await bench.ledger.noteCompletion(call.key, 1, 'completion-1');
      await bench.ledger.markAmbiguous(call.key, 1, 'cut');
      const lost = [{ attempt: 1, completionId: 'completion-1', lostForMs: expect.any(Number) as number }];
      expect(await bench.ledger.callState(call.key, 'worker-1')).toEqual({ state: 'unanswered', ambiguous: 1, lost });
      await bench.ledger.settle(call.key, 1, { ...answer(30, 3), isRecovered: true });
      expect(await bench.ledger.callState(call.key, 'worker-1')).toEqual({ state: 'answered', responseRef: ref('a') });
      expect(await bench.sums(call.account)).toEqual(equalSums([0, 0], [30, 3]));
      expect(await bench.ledger.repeatedCalls(call.account)).toBe(0);
      expect(await bench.recoveredCalls(call.account)).toBe(1);
    });

    it('does not count as recovered what came by itself before it was fetched', async () => {
      const bench = open();
      const call = await started(bench);
      await bench.ledger.noteCompletion(call.key, 1, 'completion-1');
      await bench.setAlive('worker-1', false);
      expect(await bench.ledger.callState(call.key, 'worker-2')).toMatchObject({ lost: [{ attempt: 1 }] });
      await bench.ledger.settle(call.key, 1, answer(30, 3));
      expect(await bench.ledger.settle(call.key, 1, { ...answer(40, 4, 'b'), isRecovered: true })).toEqual(ref('a'));
      expect(await bench.sums(call.account)).toEqual(equalSums([0, 0], [30, 3]));
      expect(await bench.recoveredCalls(call.account)).toBe(0);
    });

    it('charges a send that brought no answer but a usage', async () => {
      const bench = open();
      const call = await started(bench);
      await bench.ledger.charge(call.key, 1, settlement(25, 2), 'no choices');
      expect(await bench.ledger.callState(call.key, 'worker-1')).toEqual({
        state: 'unanswered',
        ambiguous: 0,
        lost: [],
      });
      expect(await bench.sums(call.account)).toEqual(equalSums([0, 0], [25, 2]));
    });

    it('says in flight while the other worker lives', async () => {
      const bench = open();
      const call = await started(bench);
      expect(await bench.ledger.callState(call.key, 'worker-2')).toEqual({ state: 'in-flight', worker: 'worker-1' });
      expect((await bench.ledger.reserve({ ...call, worker: 'worker-2' })).status).toBe('in-flight');
    });

    it('makes a dead worker’s sent call ambiguous, and releases what it never sent', async () => {
      const bench = open();
      const sent = await started(bench);
      const reserved = { ...sent, key: `${sent.key}-2` };
      await bench.ledger.reserve(reserved);
      await bench.setAlive('worker-1', false);
      expect(await bench.ledger.callState(sent.key, 'worker-2')).toEqual({
        state: 'unanswered',
        ambiguous: 1,
        lost: [],
      });
      expect(await bench.ledger.callState(reserved.key, 'worker-2')).toEqual({
        state: 'unanswered',
        ambiguous: 0,
        lost: [],
      });
      expect(await bench.sums(sent.account)).toEqual(equalSums([0, 0], [100, 10]));
      await expect(bench.ledger.markSent(reserved.key, 1)).rejects.toMatchObject({ type: 'call.in-flight' });
    });

    it('cleans up what the asking worker itself left open', async () => {
      const bench = open();
      const call = await started(bench);
      expect(await bench.ledger.callState(call.key, 'worker-1')).toEqual({
        state: 'unanswered',
        ambiguous: 1,
        lost: [],
      });
    });

    it('refuses a stale epoch, but never an answer that was paid', async () => {
      const bench = open();
      const call = await started(bench);
      await bench.raiseEpoch(call.account);
      expect((await bench.ledger.reserve({ ...call, key: `${call.key}-2` })).status).toBe('superseded');
      expect(await bench.ledger.settle(call.key, 1, answer(40, 4))).toEqual(ref('a'));
    });

    it('tells contended from exhausted, in money and in tokens, and marks a campaign', async () => {
      for (const limits of [
        { microUsd: 150, tokens: null },
        { microUsd: null, tokens: 15 },
      ]) {
        const bench = open();
        const call = await started(bench, limits);
        const next = { ...call, key: `${call.key}-2` };
        expect((await bench.ledger.reserve(next)).status).toBe('contended');
        expect(await bench.isExhausted(call.account)).toBe(false);
        await bench.ledger.settle(call.key, 1, answer(60, 6));
        expect(await bench.ledger.reserve(next)).toEqual({
          ...{ status: 'exhausted', scope: kind },
          budget: { limit: limits, settled: { microUsd: 60, tokens: 6 }, reserved: { microUsd: 0, tokens: 0 } },
        });
        expect(await bench.isExhausted(call.account)).toBe(kind === 'campaign');
        expect(await bench.ledger.callState(next.key, 'worker-1')).toEqual({ state: 'new' });
      }
    });

    it('says where a budget stands that does not allow the first call', async () => {
      const bench = open();
      const limit = { microUsd: 99, tokens: null };
      const call = reservation(await bench.addAccount(limit), 'too-dear');
      await bench.setAlive('worker-1', true);
      const nothing = { microUsd: 0, tokens: 0 };
      const standing = { settled: nothing, reserved: nothing };
      expect(await bench.ledger.reserve(call)).toMatchObject({ scope: kind, budget: { limit, ...standing } });
      const own = ownLimit('trial', 'too-dear/own', 98);
      const refused = await bench.ledger.reserve({ ...call, systemLimits: [own] });
      expect(refused).toMatchObject({ scope: 'trial', budget: { limit: own.limit, ...standing } });
    });

    it('does not wait for money that a dead worker holds', async () => {
      const bench = open();
      const call = await started(bench, { microUsd: 150, tokens: null });
      await bench.setAlive('worker-1', false);
      await bench.setAlive('worker-2', true);
      const next = { ...call, key: `${call.key}-2`, worker: 'worker-2' };
      expect((await bench.ledger.reserve(next)).status).toBe('contended');
      expect((await bench.ledger.reserve(next)).status).toBe('exhausted');
      expect(await bench.sums(call.account)).toEqual(equalSums([0, 0], [100, 10]));
    });

    it('says whose limit it is: a system’s own ends its call, and nothing else', async () => {
      for (const scope of ['trial', 'generation', 'system'] as const) {
        const bench = open();
        const account = await bench.addAccount({ microUsd: 10_000, tokens: null });
        await bench.setAlive('worker-1', true);
        const systemLimits = [ownLimit(scope, `${account.id}/own`, 250)];
        const call = (n: number): Reservation => ({ ...reservation(account, `${account.id}/${n}`), systemLimits });
        expect((await bench.ledger.reserve(call(1))).status).toBe('reserved');
        expect((await bench.ledger.reserve(call(2))).status).toBe('reserved');
        expect(await bench.ledger.reserve(call(3))).toEqual({ status: 'contended', scope });
        await bench.ledger.settle(call(1).key, 1, answer(100, 10));
        await bench.ledger.settle(call(2).key, 1, answer(60, 6));
        expect(await bench.ledger.reserve(call(3))).toMatchObject({ status: 'exhausted', scope });
        expect(await bench.isExhausted(account)).toBe(false);
        expect(await bench.sums(account)).toEqual(equalSums([0, 0], [160, 16]));
        const others = reservation(account, `${account.id}/others`);
        expect((await bench.ledger.reserve(others)).status).toBe('reserved');
      }
    });

    it('nests: a call takes from every budget it counts in, or from none', async () => {
      const bench = open();
      const account = await bench.addAccount({ microUsd: 250, tokens: null });
      await bench.setAlive('worker-1', true);
      const limits = (trial: string) => [
        ownLimit('trial', `${account.id}/${trial}`, 150),
        ownLimit('system', `${account.id}/sys`, 1_000),
      ];
      const call = (key: string, trial: string): Reservation => {
        return { ...reservation(account, `${account.id}/${key}`), systemLimits: limits(trial) };
      };
      expect((await bench.ledger.reserve(call('1', 'a'))).status).toBe('reserved');
      expect(await bench.ledger.reserve(call('2', 'a'))).toEqual({ status: 'contended', scope: 'trial' });
      expect((await bench.ledger.reserve(call('3', 'b'))).status).toBe('reserved');
      expect(await bench.ledger.reserve(call('4', 'c'))).toEqual({ status: 'contended', scope: kind });
      await bench.ledger.release(call('3', 'b').key, 1, '429');
      // What the refused ones had taken from their trial's budget is back.
      expect((await bench.ledger.reserve(call('4', 'c'))).status).toBe('reserved');
      expect(await bench.sums(account)).toEqual(equalSums([200, 20], [0, 0]));
    });

    it('stops admissions at the soft limit, and lets what runs go on to the hard one', async () => {
      const bench = open();
      const account = await bench.addAccount({ microUsd: 1_000, tokens: null, soft: 0.2 });
      await bench.setAlive('worker-1', true);
      const call = (n: number): Reservation => reservation(account, `${account.id}/${n}`);
      for (const [n, cost] of [100, 99, 1].entries()) {
        expect(await bench.isExhausted(account)).toBe(false);
        expect((await bench.ledger.reserve(call(n))).status).toBe('reserved');
        await bench.ledger.settle(call(n).key, 1, answer(cost, 1));
      }
      expect(await bench.isExhausted(account)).toBe(kind === 'campaign');
      expect((await bench.ledger.reserve(call(9))).status).toBe('reserved');
    });

    it('lets in what it refused, once a late answer has given money back', async () => {
      const bench = open();
      const call = await started(bench, { microUsd: 150, tokens: null });
      const next = { ...call, key: `${call.key}-2` };
      await bench.ledger.markAmbiguous(call.key, 1, 'cut');
      expect((await bench.ledger.reserve(next)).status).toBe('exhausted');
      await bench.ledger.settle(call.key, 1, answer(30, 3));
      expect((await bench.ledger.reserve(next)).status).toBe('reserved');
      expect(await bench.sums(call.account)).toEqual(equalSums([100, 10], [30, 3]));
    });

    it('takes a limit that is set later, with what was spent before', async () => {
      const bench = open();
      const call = await started(bench, { microUsd: null, tokens: null });
      const next = { ...call, key: `${call.key}-2` };
      await bench.ledger.setLimit(call.account, { microUsd: 150, tokens: null, soft: null });
      expect(await bench.ledger.reserve(next)).toEqual({ status: 'contended', scope: kind });
      await bench.ledger.settle(call.key, 1, answer(100, 10));
      expect(await bench.ledger.reserve(next)).toMatchObject({ status: 'exhausted', scope: kind });
      await bench.ledger.setLimit(call.account, { microUsd: 200, tokens: null, soft: null });
      expect((await bench.ledger.reserve(next)).status).toBe('reserved');
      expect(await bench.sums(call.account)).toEqual(equalSums([100, 10], [100, 10]));
    });

    it('takes a limit below what is spent: nothing more goes out, what is under way is charged', async () => {
      const bench = open();
      const call = await started(bench);
      const next = { ...call, key: `${call.key}-2` };
      await bench.ledger.reserve(next);
      await bench.ledger.settle(call.key, 1, answer(100, 10));
      await bench.ledger.setLimit(call.account, { microUsd: 40, tokens: null, soft: null });
      const refused = await bench.ledger.reserve({ ...call, key: `${call.key}-3` });
      expect(refused).toMatchObject({ status: 'exhausted', scope: kind });
      expect(await bench.isExhausted(call.account)).toBe(kind === 'campaign');
      await bench.ledger.markSent(next.key, 1);
      await bench.ledger.settle(next.key, 1, answer(30, 3));
      expect(await bench.sums(call.account)).toEqual(equalSums([0, 0], [130, 13]));
    });

    it('keeps the send of a provider batch, and its money, whoever dies, and whoever asks', async () => {
      const bench = open();
      const account = await bench.addAccount({ microUsd: 150, tokens: null });
      await bench.setAlive('worker-1', true);
      const call = { ...reservation(account, `${account.id}/call`), isBatched: true };
      expect(await bench.ledger.reserve(call)).toEqual({ status: 'reserved', attempt: 1 });
      const waits = { state: 'batched', waitedMs: expect.any(Number) as number };
      for (const worker of ['worker-1', 'worker-2'])
        expect(await bench.ledger.callState(call.key, worker)).toEqual(waits);
      // Money is looked at first where there is little.
      expect((await bench.ledger.reserve(call)).status).toMatch(/^(in-flight|contended)$/);
      await bench.setAlive('worker-1', false);
      // Whoever finds no room ends what dead workers left.
      const other = { ...call, key: `${call.key}-2`, worker: 'worker-2' };
      expect(await bench.ledger.reserve(other)).toEqual({ status: 'contended', scope: kind });
      expect(await bench.ledger.callState(call.key, 'worker-2')).toEqual(waits);
      expect(await bench.sums(account)).toEqual(equalSums([100, 10], [0, 0]));
      await bench.ledger.settle(call.key, 1, answer(40, 4));
      expect(await bench.ledger.callState(call.key, 'worker-2')).toEqual({ state: 'answered', responseRef: ref('a') });
      expect(await bench.sums(account)).toEqual(equalSums([0, 0], [40, 4]));
    });

    it('keeps what a provider batch ended with until the next send, and who was told', async () => {
      const bench = open();
      const account = await bench.addAccount({ microUsd: null, tokens: null });
      const call = { ...reservation(account, `${account.id}/call`), isBatched: true };
      await bench.ledger.reserve(call);
      const failure = { type: 'model.server-error', blame: 'infrastructure', message: 'expired' } as const;
      await bench.ledger.noteRefusal(call.key, 1, failure);
      await bench.ledger.release(call.key, 1, 'expired');
      const refused = { state: 'unanswered', ambiguous: 0, lost: [] };
      const refusal = { attempt: 1, failure, toldRun: null };
      expect(await bench.ledger.callState(call.key, 'worker-1')).toEqual({ ...refused, refusal });
      // A reply that is read once more changes nothing.
      await bench.ledger.noteRefusal(call.key, 1, { ...failure, message: 'again' });
      await bench.ledger.noteTold(call.key, 1, 3);
      expect(await bench.ledger.callState(call.key, 'worker-1')).toEqual({
        ...refused,
        refusal: { ...refusal, toldRun: 3 },
      });
      expect(await bench.ledger.reserve(call)).toEqual({ status: 'reserved', attempt: 2 });
      await bench.ledger.release(call.key, 2, 'cancelled');
      expect(await bench.ledger.callState(call.key, 'worker-1')).toEqual(refused);
    });

    it('never passes the limit with 32 callers at once, and its counters equal its sends', async () => {
      const bench = open();
      const account = await bench.addAccount({ microUsd: 1_000_000, tokens: null });
      await bench.setAlive('worker-1', true);
      const statuses = await Promise.all(
        Array.from({ length: 32 }, (_, caller) => spendAll(bench, account, `${account.id}/${caller}`, caller)),
      );
      const { counters, sums } = await bench.sums(account);
      expect(counters).toEqual(sums);
      expect(counters.reserved).toEqual({ microUsd: 0, tokens: 0 });
      expect(counters.settled.microUsd).toBeLessThanOrEqual(1_000_000);
      expect(counters.settled.microUsd).toBeGreaterThan(900_000);
      expect(new Set(statuses)).toEqual(new Set(['exhausted']));
    });
  });
  describe(`${name} passes answers on between campaigns`, () => {
    const open = (): LedgerBench => openWith('campaign');

    it('gives an answer to another campaign that asks the same, once', async () => {
      const bench = open();
      const own = await started(bench);
      const asked = { ...own, key: `${own.key}/asked`, question: `question of ${own.key}` };
      expect((await bench.ledger.reserve(asked)).status).toBe('reserved');
      const other = await bench.addAccount({ microUsd: 0, tokens: null });
      const found = () => bench.ledger.reusableAnswer(other, asked.question);
      // While it is under way there is none, and what was lost is none either.
      expect(await found()).toBeNull();
      await bench.ledger.markSent(asked.key, 1);
      await bench.ledger.markAmbiguous(asked.key, 1, 'cut');
      expect(await found()).toBeNull();
      await bench.ledger.settle(asked.key, 1, answer(40, 4));
      expect(await bench.ledger.reusableAnswer(own.account, asked.question)).toBeNull();
      expect(await bench.ledger.reusableAnswer(other, 'something else')).toBeNull();
      expect(await found()).toEqual({ from: asked.key, responseRef: ref('a') });

      const keys = [`${own.key}/again`, `${own.key}/again-2`];
      const results = await Promise.all(keys.map((key) => bench.ledger.reuse(reused(other, key, asked))));
      expect(results.toSorted()).toEqual(['reused', 'taken']);
      expect(await found()).toBeNull();
      const states = await Promise.all(keys.map((key) => bench.ledger.callState(key, 'worker-1')));
      const answered = { state: 'answered', responseRef: ref('a') };
      expect(states).toEqual(results.map((result) => (result === 'reused' ? answered : { state: 'new' })));
      const key = keys[results.indexOf('reused')]!;
      expect(await bench.ledger.reuse(reused(other, key, asked))).toBe('in-flight');
    });

    it('charges nothing for it, also where nothing may be spent, and counts it apart', async () => {
      const bench = open();
      const asked = await answered(bench);
      const other = await bench.addAccount({ microUsd: 0, tokens: 0 });
      expect(await bench.ledger.reuse(reused(other, `${asked.key}/again`, asked))).toBe('reused');
      const nothing = { microUsd: 0, tokens: 0 };
      expect((await bench.sums(other)).sums).toEqual({ reserved: nothing, settled: nothing });
      expect(await bench.isExhausted(other)).toBe(false);
      expect(await bench.reusedCalls(other)).toEqual({ calls: 1, saved: { microUsd: 30, tokens: 3 } });
      expect(await bench.reusedCalls(asked.account)).toEqual({ calls: 0, saved: nothing });
    });

    it('counts an answer that was passed on as the one it is', async () => {
      const bench = open();
      const asked = await answered(bench);
      const unlimited = { microUsd: null, tokens: null };
      const [second, third] = [await bench.addAccount(unlimited), await bench.addAccount(unlimited)];
      expect(await bench.ledger.reuse(reused(second, `${asked.key}/second`, asked))).toBe('reused');
      expect(await bench.ledger.reuse(reused(third, `${asked.key}/third`, asked))).toBe('reused');
      // Each of them has it by now, and it came from one call: nobody gets it a second time.
      for (const account of [asked.account, second, third])
        expect(await bench.ledger.reusableAnswer(account, asked.question)).toBeNull();
      await bench.raiseEpoch(third);
      const stale = { ...reused(third, `${asked.key}/stale`, asked), from: 'another' };
      expect(await bench.ledger.reuse(stale)).toBe('superseded');
    });
  });
}

/** Calls of 60,000 reserved and some 20,000 charged, until the budget is exhausted. */
async function spendAll(bench: LedgerBench, account: AccountRef, prefix: string, caller: number): Promise<string> {
  for (let n = 0, waits = 0; waits < 2_000;) {
    const call = { ...reservation(account, `${prefix}/${n}`), estimate: { microUsd: 60_000, tokens: 600 } };
    const result: ReserveResult = await bench.ledger.reserve(call);
    if (result.status === 'exhausted') return 'exhausted';
    if (result.status === 'contended') {
      waits += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    if (result.status !== 'reserved') return result.status;
    await bench.ledger.markSent(call.key, result.attempt);
    if (n % 5 === 4) await bench.ledger.release(call.key, result.attempt, '429');
    else await bench.ledger.settle(call.key, result.attempt, answer(20_000 + caller, 200));
    n += 1;
  }
  return 'never ended';
}

/** A call of worker-1 that was reserved and sent, in an account of its own. */
async function started(
  bench: LedgerBench,
  limits: { microUsd: number | null; tokens: number | null } = { microUsd: 10_000, tokens: 1_000 },
): Promise<Reservation> {
  const account = await bench.addAccount(limits);
  await bench.setAlive('worker-1', true);
  const call = reservation(account, `${account.id}/call`);
  expect(await bench.ledger.reserve(call)).toEqual({ status: 'reserved', attempt: 1 });
  await bench.ledger.markSent(call.key, 1);
  await bench.ledger.markSent(call.key, 1);
  expect(await bench.sums(account)).toEqual(equalSums([100, 10], [0, 0]));
  return call;
}

/** A call with a question that others may ask, and its answer. */
async function answered(bench: LedgerBench): Promise<Reservation & { question: string }> {
  const call = await started(bench);
  const asked = { ...call, key: `${call.key}/asked`, question: `question of ${call.key}` };
  await bench.ledger.reserve(asked);
  await bench.ledger.settle(asked.key, 1, answer(40, 4));
  return asked;
}

function reservation(account: AccountRef, key: string): Reservation {
  return {
    key,
    account,
    epoch: 1,
    owner: { kind: account.kind === 'build' ? 'build' : 'trial', id: `${account.id}/task/system/1` },
    stage: 'vote',
    step: 'match-1',
    purpose: 'vote',
    model: 'small',
    requestRef: ref('request'),
    estimate: { microUsd: 100, tokens: 10 },
    worker: 'worker-1',
  };
}

/** What a campaign takes over of a call of another one. */
function reused(
  account: AccountRef,
  key: string,
  { key: from, question }: { key: string; question: string },
): ReusedCall {
  const { owner, epoch, stage, step, purpose, model, requestRef } = reservation(account, key);
  const call = { key, account, epoch, owner, stage, step, purpose, model, requestRef };
  return { ...call, from, question, responseRef: ref('a'), saved: { microUsd: 30, tokens: 3 } };
}

function ownLimit(scope: SystemLimit['scope'], id: string, microUsd: number): SystemLimit {
  return { scope, id, limit: { microUsd, tokens: null } };
}

function settlement(microUsd: number, tokens: number) {
  return { actual: { microUsd, tokens }, providerRequestId: 'req-1', usageReported: true };
}

function answer(microUsd: number, tokens: number, name = 'a') {
  return { ...settlement(microUsd, tokens), responseRef: ref(name) };
}

function ref(name: string): EvidenceRef {
  return { sha256: name, sizeBytes: 1, mediaType: 'application/json', name: 'completion.json', truncated: false };
}

function equalSums(reserved: [number, number], settled: [number, number]): LedgerSums {
  const amount = ([microUsd, tokens]: [number, number]): Amount => ({ microUsd, tokens });
  const both = { reserved: amount(reserved), settled: amount(settled) };
  return { counters: both, sums: both };
}
