import { selectionSchema } from '../../../src/suite-kit/selection.js';

/** What a campaign may name as projects: from one feature to whole pipelines. */
export const TIERS = ['tier-1', 'tier-2', 'tier-3', 'tier-4'] as const;

/** `dataset` of a campaign. */
export const datasetSchema = selectionSchema(TIERS, 'tier', 'tiers');
