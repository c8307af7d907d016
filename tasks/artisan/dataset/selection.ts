import { selectionSchema } from '../../../src/suite-kit/selection.js';

/** Studies in Python; their data and papers come from wheels. */
const IN_PYTHON = ['employment', 'ozone', 'silicon', 'silver', 'stackloss'];

/** Studies in R; their data and papers come from Debian packages. */
const IN_R = [
  ...[
    'adolescents',
    'affairs',
    'alzheimer',
    'baseball',
    'bcg',
    'breastcancer',
    'clouds',
    'depression',
    'detergents',
    'foodmarket',
    'genotypes',
    'geyser',
    'hachemeister',
    'hedenfalk',
    'plasma',
    'polyps',
    'roomwidth',
    'sandwich',
    'thurstone',
    'toxicity',
    'voles',
    'weightloss',
    'womensrole',
  ],
];

/** What a campaign may name as projects. */
export const STUDIES: readonly string[] = [...IN_PYTHON, ...IN_R].sort();

/** The image that the scripts of a study run in. */
const imageOf = (study: string): string => (IN_R.includes(study) ? 'artisan-r' : 'artisan-python');

/** What campaigns on these studies need. */
export const imagesOf = (studies: readonly string[]): string[] => [...new Set(studies.map(imageOf))];

/** What the tasks of these studies are made with: that of extraction too. */
export const buildImagesOf = (studies: readonly string[]): string[] =>
  imagesOf(studies).flatMap((image) => (image === 'artisan-r' ? ['artisan-r-library', image] : [image]));

/** `dataset` of a campaign. */
export const datasetSchema = selectionSchema(STUDIES, 'study', 'studies');
