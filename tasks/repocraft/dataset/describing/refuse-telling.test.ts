import { expect, it } from 'vitest';
import { refuseTelling } from './refuse-telling.js';

const project = { project: 'scikit-learn', settings: { givingAway: ['sklearn', 'scikit-learn'] } };
const check = (description: string) => () => refuseTelling([{ id: 't-001', description }], project);

it('refuses a description that names the project, whatever its case', () => {
  expect(check('Fits like Scikit-Learn.')).toThrow(/1 descriptions of scikit-learn name it: t-001 \("scikit-learn"\)/);
  expect(check('An estimator of sklearn, fitted.')).toThrow(/\nfix: .*projects\/scikit-learn\.json/);
});

it('does not mind words that only contain such a name', () => {
  expect(check('A sklearnable thing, learned.')).not.toThrow();
});
