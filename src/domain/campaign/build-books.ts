import type { CampaignSpec } from '../../contract/campaign.js';
import type { OwnerRef } from '../../contract/stage.js';
import { recordId } from './ids.js';

/** The only system of a campaign that holds the books of a dataset build. */
export const BOOKS_SYSTEM = 'descriptions';

/** Who asks about the tasks of a project, in those books. */
export function booksOwner(campaignId: string, project: string): OwnerRef {
  return { kind: 'generation', id: recordId.generation(campaignId, BOOKS_SYSTEM, project, 1) };
}

/** Whether a campaign holds such books: it has no trials, and nothing of it runs by itself. */
export function holdsBooks({ spec, trials }: { spec: CampaignSpec; trials: { planned: number } }): boolean {
  return trials.planned === 0 && spec.systems[0]?.id === BOOKS_SYSTEM;
}
