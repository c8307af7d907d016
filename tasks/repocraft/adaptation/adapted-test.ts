import type { Blobs } from '../../../src/ports/blobs.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { RepocraftTask } from '../dataset/repocraft-task.js';
import type { AdaptedTest, AdaptResult } from '../results.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';

/** Media type of what `durabench show` prints of a trial. */
export const DIFF_TYPE = 'text/x-diff; charset=utf-8';

/** Stores a test that is ready to be run. */
export async function keepTest(context: StageContext, task: RepocraftTask, testCode: string): Promise<AdaptResult> {
  const test: AdaptedTest = { testCode, auxiliaryCode: task.auxiliary_code };
  const stored = await context.attach(JSON.stringify(test), {
    name: 'adapted-test.json',
    mediaType: 'application/json',
  });
  return { adapted: stored.sha256, refused: null, message: null, renamed: 0 };
}

/** The test as {@link keepTest} stored it. */
export async function readTest(blobs: Blobs, sha256: string): Promise<AdaptedTest> {
  return readJsonBlob<AdaptedTest>(blobs, sha256);
}
