import { DomainFailure } from '../../../../src/domain/failure/domain-failure.js';
import type { Generator } from '../generator.js';

/** A repository somebody else made: any folder or archive, packed when the campaign was planned. */
export const snapshotGenerator: Generator = {
  needsModel: false,
  needsPath: true,
  phase: 'grade',
  description: 'a folder or archive of your own, by path',
  provenance: 'generated',
  make: (context) => {
    const snapshot = context.system.snapshot;
    if (snapshot === null) throw new DomainFailure('harness.bug', `system ${context.system.id} was planned unpacked`);
    return Promise.resolve({ content: snapshot, note: null });
  },
};
