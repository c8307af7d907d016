import type { Json } from '../../../src/contract/json.js';
import type { Verdict } from '../../../src/contract/verdict.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import type { ScoreInput } from '../results.js';
import { coverageMetrics } from '../coverage/plan-coverage.js';
import { preparedOf } from '../candidate/candidate-index.js';
import { judge } from './judge.js';

/** Says what the stages amount to. */
export const scoreTrial: StageFunction = async (context) => {
  const verdict: Verdict = judge(context.input as unknown as ScoreInput, context.candidate?.provenance === 'reference');
  const metrics = {
    ...verdict.metrics,
    ...candidateMetrics(context.prepared),
    ...(await coverageMetrics(context)),
  };
  return { result: { ...verdict, metrics } };
};

/** What the candidate amounts to, beside each of its trials: reports are made from trial rows alone. */
function candidateMetrics(prepared: Json | null): Record<string, number | null> {
  if (prepared === null) return {};
  const { code, figures = {}, files: python, problems, missing } = preparedOf(prepared);
  const told = {
    ...Object.fromEntries(Object.entries(figures).map(([name, value]) => [`generation_${name}`, value])),
    ...{ candidate_python_files: python, candidate_unread_files: problems },
    ...(missing === undefined ? {} : { candidate_missing_packages: missing }),
  };
  if (code === undefined) return told;
  const { files, loc, tokens, functions, stubs } = code;
  return {
    ...told,
    ...{ candidate_files: files, candidate_loc: loc, candidate_tokens: tokens },
    ...{ candidate_functions: functions, candidate_stubs: stubs },
  };
}
