/**
 * Durabench as a library: `import { connect } from 'durabench'`. Everything returns data, tells what goes on through
 * `onEvent`, and throws {@link UserError}; nothing prints.
 */
import '../domain/needs-node.js';
export {
  connect,
  type ConnectOptions,
  type Durabench,
  type StartOptions,
  type StartedCampaign,
  type TrialDetail,
} from './connect.js';
export type { ClientEvent } from './context.js';
export type { StartState } from './campaigns/start-campaign.js';
export { UserError, type UserErrorKind } from '../domain/failure/user-error.js';
export type { Problem } from '../contract/problem.js';
export type { CampaignStatus } from '../contract/campaign.js';
export type { StatusReport, SystemStatus } from '../contract/status.js';
export type { FullReport } from '../report/full-report.js';
export type { CampaignRow, TrialRow } from '../ports/records.js';
