import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Seconds long, and soon broken by any change. */
const SOON = /tests\/docs\/(words|links|guarantees|environment|commands|results-schema)\.test\.ts$/;
/** Minutes long and small: by the size of files, which is what Vitest goes by on a fresh clone, they would come last. */
const LONG_NAMES = [
  'crash-matrix-\\w+',
  'other-code',
  'command-line',
  'demo',
  'tasks',
  'runs',
  'cheats',
  'library',
  'control',
  'view',
  'zerorepo',
  'reused-answers',
  'model-manners',
  'bad-input',
  'hidden-copies',
  'kills',
  'agent-crash',
  'zerorepo-guide',
];
const LONGEST = new RegExp(`/(${LONG_NAMES.join('|')})\\.test\\.ts$`);

/** Vitest's order of files, with those in front that tell soon, then the longest; units fill the end, when others wait. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number =>
      project.name === 'unit' ? 3 : SOON.test(moduleId) ? 0 : LONGEST.test(moduleId) ? 1 : 2;
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
