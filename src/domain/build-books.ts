import type { OwnerRef } from '../contract/stage.js';
import { recordId } from './ids.js';

/** The only system of a campaign that holds the books of a dataset build. */
export const BOOKS_SYSTEM = 'descriptions';

/** Who asks about the tasks of a project, in those books. */
export function booksOwner(campaignId: string, project: string): OwnerRef {
  return { kind: 'generation', id: recordId.generation(campaignId, BOOKS_SYSTEM, project, 1) };
}
