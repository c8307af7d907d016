import type { Verdict } from '../../../src/contract/verdict.js';
import type { SyntaxReport } from '../syntax/syntax-report.js';

/** What the layers found; null for a layer that was not executed. */
export interface Layers {
  refusal: string | null;
  files: number;
  syntax: SyntaxReport;
}

/** A trial passes where every layer that was executed found nothing. What was not executed is null, never a zero or a pass. */
export function verdictOf({ refusal, files, syntax }: Layers): Verdict {
  const isValid = syntax.problems.length === 0;
  const reasons = [
    ...(refusal !== null || files === 0 ? ['format'] : []),
    ...new Set(syntax.problems.map(({ rule }) => `syntax.${rule}`)),
  ];
  return {
    passed: isValid,
    reasons,
    metrics: { syntax: Number(isValid), lint: null, features: null, runs: null, core: null },
  };
}
