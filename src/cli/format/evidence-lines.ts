import { join } from 'node:path';
import type { EvidenceRef } from '../../contract/evidence.js';
import { grouped } from '../../report/text/number-text.js';
import type { Session } from '../session.js';

/** What a step left behind, a line each, with the file it is in. */
export const evidenceLines = (session: Session, evidence: readonly EvidenceRef[]): string[] =>
  evidence.map(({ name, sizeBytes, truncated, sha256 }) => {
    const file = join(session.environment().blobsDir, 'sha256', sha256.slice(0, 2), sha256);
    return `    ${name} (${grouped(sizeBytes)} bytes${truncated ? ', cut' : ''}) ${file}`;
  });

/** Of the model calls of a step those that were answered from the record, this campaign's or another one's, where there were such. */
export const replayText = ({ calls }: { calls: { answered: number; replayed: number; reused: number } }): string =>
  (['replayed', 'reused'] as const)
    .filter((how) => calls[how] > 0)
    .map((how) => `, ${grouped(calls[how])} of ${grouped(calls.answered)} model calls ${how}`)
    .join('');
