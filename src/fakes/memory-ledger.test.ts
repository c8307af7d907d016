import { ledgerConformance } from '../ports/conformance/ledger.conformance.js';
import { createMemoryLedger } from './memory-ledger.js';

let accounts = 0;

ledgerConformance('the ledger in memory', (kind) => {
  const ledger = createMemoryLedger();
  return {
    ledger,
    addAccount: async ({ soft = null, ...limits }) => {
      accounts += 1;
      const account = { kind, id: `${kind}-${accounts}` };
      ledger.accounts.set(account.id, { ...account, epoch: 1, limits, soft, exhausted: false });
      return account;
    },
    raiseEpoch: async ({ id }) => void (ledger.accounts.get(id)!.epoch += 1),
    setAlive: async (worker, alive) =>
      void (alive ? ledger.aliveWorkers.add(worker) : ledger.aliveWorkers.delete(worker)),
    // It has no counters: it adds up its sends each time.
    sums: async ({ id }) => ({ counters: ledger.sums(id), sums: ledger.sums(id) }),
    isExhausted: async ({ id }) => ledger.accounts.get(id)!.exhausted,
    recoveredCalls: async ({ id }) => ledger.recoveredCalls(id),
    replayedCalls: async ({ id }) => ledger.replayedCalls(id),
    reusedCalls: async ({ id }) => ledger.reusedCalls(id),
  };
});
