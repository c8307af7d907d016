import { recordId } from '../../src/domain/campaign/ids.js';
import type { TrialRow } from '../../src/ports/records.js';

/**
 * Sentences on the candidates of these trials that could not be read in places, or import packages that are not there, one
 * each; every trial carries the counts of its own.
 */
export function candidateNotes(trials: readonly TrialRow[]): string[] {
  const notes = trials.flatMap(({ campaignId, systemId, group, repeat, metrics }) => {
    const id = recordId.generation(campaignId, systemId, group, repeat);
    return [unreadNote(id, metrics), missingNote(id, group, metrics.candidate_missing_packages)].flat();
  });
  return [...new Set(notes)];
}

function unreadNote(id: string, metrics: TrialRow['metrics']): string[] {
  const { candidate_unread_files: unread, candidate_python_files: all } = metrics;
  if (!unread) return [];
  return all
    ? [`${id}: ${unread} of ${all} files could not be read: graded on the rest; \`durabench show ${id}\` names them.`]
    : [`${id}: could not be read at all: graded as empty; \`durabench show ${id}\` says why.`];
}

function missingNote(id: string, project: string, missing: number | null | undefined): string[] {
  if (!missing) return [];
  const [what, it] = missing === 1 ? ['a package', 'it'] : [`${missing} packages`, 'them'];
  return [
    `${id}: imports ${what} that candidates for ${project} do not have: what needs ${it} fails; \`durabench show ${id}\` names ${it}.`,
  ];
}
