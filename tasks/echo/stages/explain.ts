import type { Problem } from '../../../src/contract/problem.js';
import type { StepRow } from '../../../src/ports/records.js';
import type { Generated, Localized } from '../results.js';
import { MARK } from './answer-lines.js';

/** Why no line of an answer was compared; null where one was. */
export async function explain(steps: readonly StepRow[]): Promise<Problem | null> {
  const last = (stage: string): unknown => steps.findLast((step) => step.stage === stage)?.result;
  const [generated, localized] = [last('generate') as Generated | undefined, last('localize') as Localized | undefined];
  if (generated === undefined || localized?.line !== null) return null;
  return {
    message: generated.sizeBytes === 0 ? 'the answer is empty' : `the answer has no line that begins with "${MARK}"`,
    expected: `an answer with a line "${MARK} …"`,
    fix: 'none for this trial, it is graded; another model, or a higher max_output_tokens where the answer was cut',
  };
}
