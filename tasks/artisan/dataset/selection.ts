import { z } from 'zod';

/** Studies in Python; their data and papers come from wheels. */
const IN_PYTHON = ['employment', 'ozone', 'silicon', 'silver'];

/** Studies in R; their data and papers come from Debian packages. */
const IN_R = [
  ...[
    'affairs',
    'alzheimer',
    'baseball',
    'bcg',
    'breastcancer',
    'clouds',
    'depression',
    'foodmarket',
    'genotypes',
    'plasma',
    'polyps',
    'sandwich',
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

/** A task is graded once a repeat, however often it is named. */
const isDistinct = (words: readonly string[]): boolean => new Set(words).size === words.length;

/** `dataset` of a campaign. */
export const selectionSchema = z.strictObject({
  projects: z
    .array(z.enum(STUDIES as [string, ...string[]]))
    .min(1)
    .refine(isDistinct, { message: 'names one twice' })
    .default([...STUDIES])
    .describe(`a list of studies, each once, out of ${STUDIES.join(', ')}`),
  limit: z.int().min(1).optional().describe('a whole number, 1 or more: tables a study, by id; leave it out for all'),
  tasks: z
    .array(z.string())
    .min(1)
    .refine(isDistinct, { message: 'names one twice' })
    .optional()
    .describe('a list of task ids, each once; leave it out for all'),
});
