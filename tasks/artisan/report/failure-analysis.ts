import type { SuiteFailures } from '../../../src/suite/failures.js';

/** The class of a failed trial is its reason, whose first part is its status. */
export const artisanFailures: SuiteFailures = {
  classOf: ({ reason }) => reason,
  stageOf: ({ reason }) => {
    if (reason === null || !/^(?:static|runtime|mismatch|copied)\./.test(reason)) return 'generate';
    return reason === 'static.syntax' || !reason.startsWith('static.') ? 'execute' : 'generate';
  },
  rules: [
    rule(
      'static',
      0.1,
      'there is no script to run: ask for one block of bash, raise max_output_tokens, or give an agent more turns',
    ),
    rule(
      'runtime',
      0.2,
      'scripts end with an error: an agent that runs its script before it submits finds most of them (generator `agent`)',
    ),
    rule(
      'runtime.timeout',
      0.1,
      'scripts take too long: say the limit in the prompt, and which data may be read in part',
    ),
    rule(
      'mismatch',
      0.3,
      'tables differ from the published ones: submissions with feedback (`submissions`, `feedback`) tell an agent which cells',
    ),
    rule(
      'copied',
      0.1,
      'tables are copied, not computed: `method_feedback` tells an agent so before the end; look at the prompt for what invites it',
    ),
  ],
};

function rule(reason: string, above: number, advice: string): SuiteFailures['rules'][number] {
  return { id: reason, counts: { class: reason }, above, advice };
}
