import type { ModelRulesInput } from '../../src/fakes/model-rules.js';

/** What is running when something is killed. */
export interface Load {
  name: LoadName;
  trials: number;
  /** Then there is a Docker daemon to run them, of the stack's own. */
  usesContainers: boolean;
  /** A campaign file without its name. */
  campaign: (modelUrl: string) => string;
  rules: ModelRulesInput;
}

/** One of {@link LOADS}. */
export type LoadName = 'echo' | 'repocraft';

/** Every trial asks a model on its way, which is how all of them can be held in flight; those of RepoCraft then run in containers. */
export const LOADS: Readonly<Record<LoadName, Load>> = {
  echo: {
    name: 'echo',
    trials: 48,
    usesContainers: false,
    campaign: (url) =>
      `suite: echo
dataset: { tasks: 24, sleepMs: 800 }
${scripted(url)}systems:
  - { id: first, generator: model, model: scripted }
  - { id: second, generator: model, model: scripted }
concurrency: { batches: 2, trials: 48, model: 16, sandbox: 8 }
`,
    rules: { rules: [{ template: 'Answer: {{1}}', match: { regex: '.*:\\n(.*)' }, delayMs: 500 }] },
  },
  repocraft: {
    name: 'repocraft',
    trials: 44,
    usesContainers: true,
    campaign: (url) =>
      `suite: repocraft
dataset: { projects: [requests], limit: 22 }
${scripted(url)}systems:
  - { id: first, generator: gold, vote: { voter: model, model: scripted } }
  - { id: second, generator: gold, vote: { voter: model, model: scripted } }
concurrency: { batches: 2, trials: 22, model: 16, sandbox: 8 }
`,
    rules: {
      rules: [{ match: { purpose: 'vote' }, answer: '{"answer": "YES", "reason": "It is."}', delayMs: 200 }],
    },
  },
};

function scripted(url: string): string {
  return `models:\n  scripted: { name: scripted-1, base_url: '${url}', price: { input: 1, output: 4 } }\n`;
}
