import { readProjectSettings } from '../../dataset/project-settings.js';
import { referencePackage } from '../../dataset/task-blobs.js';
import type { Generator } from '../generator.js';
import { readTarEntries } from '../../../../src/suite-kit/tar-entries.js';

/** The pinned reference's own package folder, handed in and graded like any candidate: the ceiling of the harness. */
export const goldGenerator: Generator = {
  needsModel: false,
  needsPath: false,
  phase: 'grade',
  description: 'the reference, graded like any candidate',
  provenance: 'reference',
  make: async (context, project) => {
    const tar = await referencePackage(context.blobs, await readProjectSettings(project, context.suiteFolder));
    return { content: { tar, files: (await readTarEntries(tar)).length }, note: null };
  },
};
