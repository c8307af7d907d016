import { recordId } from '../../src/domain/campaign/ids.js';
import type { TrialRow } from '../../src/ports/records.js';

/** Sentences on the candidates of these trials that could not be read in places, one each; every trial carries the counts of its own. */
export function parseWarnings(trials: readonly TrialRow[]): string[] {
  const notes = trials.flatMap(({ campaignId, systemId, group, repeat, metrics }) => {
    const { candidate_unread_files: unread, candidate_python_files: all } = metrics;
    if (!unread) return [];
    const id = recordId.generation(campaignId, systemId, group, repeat);
    return all
      ? `${id}: ${unread} of ${all} files could not be read: graded on the rest; \`durabench show ${id}\` names them.`
      : `${id}: could not be read at all: graded as empty; \`durabench show ${id}\` says why.`;
  });
  return [...new Set(notes)];
}
