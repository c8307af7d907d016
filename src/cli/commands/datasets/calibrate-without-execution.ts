import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { measureWithoutExecution } from '../../../client/datasets/measure-without-execution.js';
import type { CheckedCampaign } from '../../../client/plans/read-campaign.js';
import type { SuiteCalibration } from '../../../suite/calibration.js';
import { leavePage } from './calibration-page.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import type { Session } from '../../session.js';

/** `durabench calibrate SUITE --without-execution` */
export async function calibrateWithoutExecution(
  session: Session,
  calibration: SuiteCalibration,
  campaign: CheckedCampaign,
): Promise<ExitCode> {
  const { spec } = campaign;
  const { report, label } = await measureWithoutExecution(session, calibration, campaign);
  const folder = join(session.environment().stateDir, 'calibrate', spec.name);
  await mkdir(folder, { recursive: true });
  const metrics = { campaign: null, dataset: label, seed: spec.seed, calibration: report.metrics };
  await leavePage(session, { report, metrics, about: `${label}, seed ${spec.seed}; nothing was executed.`, folder });
  return EXIT.ok;
}
