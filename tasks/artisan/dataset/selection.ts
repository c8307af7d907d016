import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
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

/** What an image has to offer to a script: its language, the packages that are worth naming, and what else is to be known. */
interface ImageTools {
  language: string;
  packages: readonly string[];
  note?: string;
}

/** Every image that scripts run in. */
export const IMAGES: Readonly<Record<string, ImageTools>> = {
  'artisan-python': { language: 'Python 3.11', packages: ['numpy', 'scipy', 'pandas'] },
  'artisan-r': {
    language: 'R 4.2',
    packages: [
      'actuar',
      'AER',
      'boot',
      'BradleyTerry2',
      'car',
      'coin',
      'flexmix',
      'geepack',
      'gnm',
      'GPArotation',
      'HSAUR3',
      'lme4',
      'lmtest',
      'MASS',
      'Matrix',
      'metafor',
      'mgcv',
      'mitools',
      'multcomp',
      'mvtnorm',
      'nlme',
      'plm',
      'pscl',
      'psych',
      'psychTools',
      'qvalue',
      'robustbase',
      'sandwich',
      'strucchange',
      'survival',
      'systemfit',
      'vcd',
      'zoo',
    ],
    note: 'Packages are there without their data. Python 3.11 has its standard library alone.',
  },
};

/**
 * What a script finds in its image, as a system is told it.
 * @throws DomainFailure for an image that no script runs in
 */
export function toolsOf(image: string): string {
  const tools = IMAGES[image];
  if (tools === undefined) throw new DomainFailure('harness.bug', `nobody has said what is in the image ${image}`);
  const { language, packages, note } = tools;
  const sentence = `There is ${language} with ${packages.slice(0, -1).join(', ')} and ${packages.at(-1) ?? ''}.`;
  return note === undefined ? sentence : `${sentence} ${note}`;
}

/** What campaigns on these studies need. */
export const imagesOf = (studies: readonly string[]): string[] => [...new Set(studies.map(imageOf))];

/** What the tasks of these studies are made with: that of extraction too. */
export const buildImagesOf = (studies: readonly string[]): string[] =>
  imagesOf(studies).flatMap((image) => (image === 'artisan-r' ? ['artisan-r-library', image] : [image]));

/** `dataset` of a campaign. */
export const datasetSchema = selectionSchema(STUDIES, 'study', 'studies');
