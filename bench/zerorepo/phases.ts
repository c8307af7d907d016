import { readQuestion } from '../../tasks/repocraft/generators/zerorepo/scripted/question.js';
import type { SeenRequest } from '../../src/fakes/scripted-model-server.js';

/** Phases as the published baseline names them, with the prompts of ZeroRepo that belong to each. */
const PHASES = {
  planning: ['propose', 'check', 'refactor', 'layout', 'data-flow', 'review-layout'],
  requirement_extraction: ['base-classes', 'interfaces', 'review-interfaces'],
  function_generation: ['tests', 'code', 'failure-vote', 'localize', 'repair', 'repair-tests'],
  repository_synthesis: ['integration-tests', 'end-to-end-test', 'readme'],
} as const;
type Phase = keyof typeof PHASES;

/** What is asked for in a request to ZeroRepo's model: the heading of the first question says it. */
export const promptOf = (messages: readonly { role: string; content: string }[]): string =>
  readQuestion(messages)?.prompt ?? '';

/** Counts calls and tokens by phase. */
export function tokensByPhase() {
  const counts = Object.fromEntries(Object.keys(PHASES).map((phase) => [phase, { calls: 0, tokens: 0 }]));
  return {
    /** @returns the prompt of the request */
    note({ promptTokens, outputTokens }: SeenRequest, messages: readonly { role: string; content: string }[]): string {
      const prompt = promptOf(messages);
      const phase = (Object.keys(PHASES) as Phase[]).find((name) =>
        (PHASES[name] as readonly string[]).includes(prompt),
      );
      const count = counts[phase ?? ''];
      if (count === undefined) throw new Error(`${prompt} belongs to no phase`);
      count.calls += 1;
      count.tokens += (promptTokens ?? 0) + (outputTokens ?? 0);
      return prompt;
    },
    totals: (): Record<string, { calls: number; tokens: number }> => structuredClone(counts),
  };
}
