import type { Migration } from './migrations/migration.js';
import { recordsMigration } from './migrations/001-records.js';
import { ledgerMigration } from './migrations/002-ledger.js';
import { limitsAndPacingMigration } from './migrations/003-limits-and-pacing.js';
import { ledgerStepsMigration } from './migrations/004-ledger-steps.js';
import { verbsMigration } from './migrations/005-verbs.js';
import { leasesMigration } from './migrations/006-leases.js';
import { limitsOfWorkMigration } from './migrations/007-limits-of-work.js';
import { recoveredAnswersMigration } from './migrations/008-recovered-answers.js';
import { revisionsMigration } from './migrations/009-revisions.js';
import { livingWorkersMigration } from './migrations/010-living-workers.js';
import { secondSendsMigration } from './migrations/011-second-sends.js';
import { plainEndsMigration } from './migrations/012-plain-ends.js';
import { usageClaimsMigration } from './migrations/013-usage-claims.js';
import { campaignSecretsMigration } from './migrations/016-campaign-secrets.js';
import { attemptEvidenceMigration } from './migrations/017-attempt-evidence.js';
import { workerLimitsMigration } from './migrations/018-worker-limits.js';
import { workflowCodeMigration } from './migrations/019-workflow-code.js';
import { adviceMigration } from './migrations/020-advice.js';
import { accountsMigration } from './migrations/021-accounts.js';
import { standardWordsMigration } from './migrations/022-standard-words.js';
import { replayedCallsMigration } from './migrations/023-replayed-calls.js';
import { workingTimesMigration } from './migrations/024-working-times.js';
import { resultViewsMigration } from './migrations/025-result-views.js';
import { reusedAnswersMigration } from './migrations/026-reused-answers.js';
import { providerBatchesMigration } from './migrations/027-provider-batches.js';
import { keptSumsMigration } from './migrations/028-kept-sums.js';

/** Every migration in order; `migrate` applies the ones a database lacks. */
export const MIGRATIONS: readonly Migration[] = [
  recordsMigration,
  ledgerMigration,
  limitsAndPacingMigration,
  ledgerStepsMigration,
  verbsMigration,
  leasesMigration,
  limitsOfWorkMigration,
  recoveredAnswersMigration,
  revisionsMigration,
  livingWorkersMigration,
  secondSendsMigration,
  plainEndsMigration,
  usageClaimsMigration,
  campaignSecretsMigration,
  attemptEvidenceMigration,
  workerLimitsMigration,
  workflowCodeMigration,
  adviceMigration,
  accountsMigration,
  standardWordsMigration,
  replayedCallsMigration,
  workingTimesMigration,
  resultViewsMigration,
  reusedAnswersMigration,
  providerBatchesMigration,
  keptSumsMigration,
];
