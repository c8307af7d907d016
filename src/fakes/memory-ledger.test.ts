import { ledgerConformance } from '../ports/ledger.conformance.js';
import { createMemoryLedger } from './memory-ledger.js';

let campaigns = 0;

ledgerConformance('the ledger in memory', () => {
  const ledger = createMemoryLedger();
  return {
    ledger,
    addCampaign: async ({ soft = null, ...limits }) => {
      campaigns += 1;
      const id = `campaign-${campaigns}`;
      ledger.campaigns.set(id, { id, epoch: 1, limits, soft, exhausted: false });
      return id;
    },
    raiseEpoch: async (id) => void (ledger.campaigns.get(id)!.epoch += 1),
    setAlive: async (worker, alive) =>
      void (alive ? ledger.aliveWorkers.add(worker) : ledger.aliveWorkers.delete(worker)),
    // It has no counters: it adds up its sends each time.
    sums: async (id) => ({ counters: ledger.sums(id), sums: ledger.sums(id) }),
    isExhausted: async (id) => ledger.campaigns.get(id)!.exhausted,
    recoveredCalls: async (id) => ledger.recoveredCalls(id),
  };
});
