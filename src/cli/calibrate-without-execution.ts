import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SuiteCalibration } from '../ports/suite.js';
import { leavePage } from './calibration-page.js';
import { withDatasetTools } from './dataset-tools.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { imagesThenDataset } from './prepare-machine.js';
import type { CheckedCampaign } from './read-campaign.js';
import type { Session } from './session.js';

/**
 * Measures search, vote and adaptation as the campaign would find them, without running it: no server, no tests. What takes
 * long (derived libraries, vectors) is kept, so that a run that was interrupted goes on quickly.
 */
export async function calibrateWithoutExecution(
  session: Session,
  calibration: SuiteCalibration,
  campaign: CheckedCampaign,
): Promise<ExitCode> {
  const { suite, spec } = campaign;
  const { blobsDir, cacheDir, stateDir } = session.environment();
  await imagesThenDataset(session, campaign);
  const [{ createFileBlobs }, { createOnnxEmbedder }, { createProcessMemory }] = await Promise.all([
    import('../adapters/blobs/file-blobs.js'),
    import('../adapters/onnx/onnx-embedder.js'),
    import('../adapters/memory/process-memory.js'),
  ]);
  const { packageRoot } = session;
  const report = await withDatasetTools(
    session,
    { suite, blobs: createFileBlobs({ folder: blobsDir }) },
    async (tools) => {
      const embedder = await createOnnxEmbedder({ cacheFolder: cacheDir, packageRoot, packages: tools.packages });
      return calibration.withoutExecution(spec, { ...tools, embedder, memory: createProcessMemory() });
    },
  );
  const folder = join(stateDir, 'calibrate', spec.name);
  await mkdir(folder, { recursive: true });
  const { label } = await suite.dataset.select(spec.dataset, spec.seed, join(packageRoot, 'tasks', spec.suite));
  const metrics = { campaign: null, dataset: label, seed: spec.seed, calibration: report.metrics };
  await leavePage(session, { report, metrics, about: `${label}, seed ${spec.seed}; nothing was executed.`, folder });
  return EXIT.ok;
}
