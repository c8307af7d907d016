import type { SuiteCalibration } from '../../suite/calibration.js';
import type { SuiteReport } from '../../suite/report.js';
import type { Context } from '../context.js';
import { imagesThenDataset } from '../machine/prepare-machine.js';
import type { CheckedCampaign } from '../plans/read-campaign.js';
import { withDatasetTools } from './dataset-tools.js';
import { suiteFolder } from '../../config/suite-folder.js';

/**
 * Measures search, vote and adaptation as the campaign would find them, without running it: no server, no tests. What takes
 * long (derived libraries, vectors) is kept, so that a run that was interrupted goes on quickly.
 */
export async function measureWithoutExecution(
  context: Context,
  calibration: SuiteCalibration,
  campaign: CheckedCampaign,
): Promise<{ report: SuiteReport; label: string }> {
  const { suite, spec } = campaign;
  const measure = calibration.withoutExecution?.bind(calibration);
  if (measure === undefined) throw new TypeError(`${suite.manifest.id} is not measured without execution`);
  const { packageRoot } = context;
  const { blobsDir, cacheDir, variable } = context.environment();
  await imagesThenDataset(context, campaign);
  const [{ createFileBlobs }, { createOnnxEmbedder }, { createProcessMemory }] = await Promise.all([
    import('../../adapters/blobs/file-blobs.js'),
    import('../../adapters/onnx/onnx-embedder.js'),
    import('../../adapters/memory/process-memory.js'),
  ]);
  const blobs = createFileBlobs({ folder: blobsDir });
  const report = await withDatasetTools(context, { suite, blobs }, async (tools) => {
    const { packages } = tools;
    const embedder = await createOnnxEmbedder({ cacheFolder: cacheDir, packageRoot, packages, variable });
    return measure(spec, { ...tools, embedder, memory: createProcessMemory() });
  });
  const { label } = await suite.dataset.select(spec.dataset, spec.seed, suiteFolder(packageRoot, suite));
  return { report, label };
}
