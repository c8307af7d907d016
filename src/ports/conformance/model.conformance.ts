import { describe } from 'vitest';
import { answersConformance } from './model-answers.conformance.js';
import { createModelBench, type CreateModel } from './model-bench.conformance.js';
import { failuresConformance } from './model-failures.conformance.js';
import { keptAnswersConformance } from './model-kept-answers.conformance.js';

/** What every adapter of an OpenAI-compatible endpoint does, over real HTTP against the scripted server. */
export function modelConformance(name: string, create: CreateModel): void {
  const bench = createModelBench(create);
  describe(`${name} is a model`, () => answersConformance(bench));
  describe(`${name} fetches what its provider keeps`, () => keptAnswersConformance(bench));
  describe(`${name} fails as a model does`, () => failuresConformance(bench));
}
