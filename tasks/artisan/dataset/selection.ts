import { selectionSchema } from '../../../src/suite-kit/selection.js';

/** What a campaign may name as projects. */
export const STUDIES: readonly string[] = ['employment', 'ozone', 'silicon', 'silver'];

/** `dataset` of a campaign. */
export const datasetSchema = selectionSchema(STUDIES, 'study', 'studies');
