import type { Migration } from './migration.js';
import { recordsMigration } from './001-records.js';
import { ledgerMigration } from './002-ledger.js';
import { limitsAndPacingMigration } from './003-limits-and-pacing.js';
import { ledgerStepsMigration } from './004-ledger-steps.js';
import { verbsMigration } from './005-verbs.js';
import { leasesMigration } from './006-leases.js';
import { limitsOfWorkMigration } from './007-limits-of-work.js';
import { recoveredAnswersMigration } from './008-recovered-answers.js';
import { revisionsMigration } from './009-revisions.js';
import { livingWorkersMigration } from './010-living-workers.js';
import { secondSendsMigration } from './011-second-sends.js';
import { plainEndsMigration } from './012-plain-ends.js';
import { usageClaimsMigration } from './013-usage-claims.js';
import { campaignSecretsMigration } from './016-campaign-secrets.js';
import { attemptEvidenceMigration } from './017-attempt-evidence.js';
import { workerLimitsMigration } from './018-worker-limits.js';
import { workflowCodeMigration } from './019-workflow-code.js';
import { adviceMigration } from './020-advice.js';

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
];
