import type { ModelRulesInput } from '../../src/fakes/model-rules.js';

/** What is running when something is killed. */
export interface Load {
  name: LoadName;
  trials: number;
  /** Trials at once: so few of all that some are finished, and some not begun, at most moments. */
  atOnce: number;
  /** Then there is a Docker daemon to run them, of the stack's own. */
  usesContainers: boolean;
  /** A campaign file without its name. */
  campaign: (modelUrl: string) => string;
  rules: ModelRulesInput;
}

/** One of {@link LOADS}. */
export type LoadName = 'echo' | 'repocraft';

/** Far more than is spent. */
const LIMITS = 'limits: { usd: 1, total: { usd: 10 } }';

const vote = (answer: 'YES' | 'PARTIAL' | 'NO'): { answer: string } => ({
  answer: JSON.stringify({ answer, reason: 'It is.' }),
});

/**
 * Every trial asks a model once on its way; those of RepoCraft then run in containers, unless the vote was not YES. Whoever ends
 * makes room for the next, so calls and runs overlap. Verdicts are of several kinds, so that a change can be seen,
 * and every call counts in budgets of trial or generation, system and campaign.
 */
export const LOADS: Readonly<Record<LoadName, Load>> = {
  echo: {
    name: 'echo',
    trials: 80,
    atOnce: 52,
    usesContainers: false,
    campaign: (url) =>
      `suite: echo
dataset: { tasks: 40, sleepMs: 400 }
${scripted(url)}systems:
  - { id: first, generator: model, model: scripted, ${LIMITS} }
  - { id: second, generator: model, model: scripted, ${LIMITS} }
concurrency: { batches: 2, trials: 26, model: 64, sandbox: 8 }
`,
    rules: {
      rules: [
        // Two of three voters accept it, and it is another line.
        { match: { regex: ':\\n(\\d*4) (\\d+) (\\d+)$' }, template: 'Answer: {{2}} {{1}} {{3}}', delayMs: 500 },
        { match: { regex: ':\\n\\d*8 \\d+ \\d+$' }, answer: 'I would rather not.', delayMs: 500 },
        { match: { regex: ':\\n(\\w+ \\w+ \\w+ \\d*5)$' }, template: 'Answer: {{1}} and more', delayMs: 500 },
        { match: { regex: '.*:\\n(.*)' }, template: 'Answer: {{1}}', delayMs: 500 },
      ],
    },
  },
  repocraft: {
    name: 'repocraft',
    trials: 72,
    atOnce: 52,
    usesContainers: true,
    campaign: (url) =>
      `suite: repocraft
dataset: { projects: [requests], limit: 36 }
${scripted(url)}systems:
  - { id: first, generator: gold, vote: { voter: model, model: scripted, voters: 1, top: 1 }, ${LIMITS} }
  - { id: second, generator: gold, vote: { voter: model, model: scripted, voters: 1, top: 1 }, ${LIMITS} }
concurrency: { batches: 2, trials: 26, model: 64, sandbox: 8 }
`,
    rules: {
      rules: [
        {
          match: { purpose: 'vote', regex: 'from \\S*(sessions|structures|adapters)\\.py' },
          ...vote('NO'),
          delayMs: 500,
        },
        { match: { purpose: 'vote', regex: 'from \\S*utils\\.py' }, ...vote('PARTIAL'), delayMs: 500 },
        { match: { purpose: 'vote' }, ...vote('YES'), delayMs: 500 },
      ],
    },
  },
};

function scripted(url: string): string {
  return `models:
  scripted: { name: scripted-1, base_url: '${url}', price: { input: 1, output: 4 } }
budget: { usd: 20 }
`;
}
