import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Minutes long and small: by the size of files, which is what Vitest goes by on a fresh clone, they would come last. */
const LONGEST =
  /\/(crash-matrix-\w+|other-code|agent-crash|zerorepo-guide|cheats|hidden-copies|command-line|demo|kills)\.test\.ts$/;

/** Vitest's order of files, with the longest in front. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification): boolean => LONGEST.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}
