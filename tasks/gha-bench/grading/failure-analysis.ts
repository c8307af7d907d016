import type { StageName } from '../../../src/contract/stage.js';
import type { SuiteFailures } from '../../../src/suite/failures.js';
import { authoredTasks } from '../dataset/gha-dataset.js';

/** Which stage looks at the layer that a reason begins with. */
const STAGE_OF_LAYER: Readonly<Record<string, StageName>> = {
  ...{ format: 'generate', syntax: 'localize', lint: 'execute', features: 'score', runs: 'execute' },
};

const layerOf = (reason: string | null): string => /^[^.]*/.exec(reason ?? '')![0];

const DIFFICULTIES = ['easy', 'medium', 'hard'];

/** The class of a failed trial is its first reason: the first layer that it did not come through, and the rule. */
export const ghaFailures: SuiteFailures = {
  classOf: ({ reason }) => reason,
  stageOf: ({ reason }) => STAGE_OF_LAYER[layerOf(reason)] ?? 'generate',
  difficulties: async (suiteFolder) => {
    const tasks = await authoredTasks(suiteFolder);
    const known = tasks.map(({ id, metadata }) => [id, metadata.difficulty] as const);
    return new Map(known.sort(([, one], [, other]) => DIFFICULTIES.indexOf(one) - DIFFICULTIES.indexOf(other)));
  },
  rules: [
    rule(
      'format',
      0.1,
      'answers hold no file that counts: ask for fenced blocks with paths, or raise max_output_tokens',
    ),
    rule(
      'syntax',
      0.15,
      'GitHub would refuse the files: give the model the schema in its prompt, or let an agent run actionlint',
    ),
    rule(
      'lint',
      0.2,
      'linters find something severe: say in the prompt what is refused (rights, pinned actions, text of strangers in scripts)',
    ),
    rule(
      'features',
      0.3,
      'workflows do not mean what was asked: a prompt that lists the requirements (`prompt: detailed`), or a stronger model',
    ),
    rule(
      'runs',
      0.3,
      'workflows do not do what was asked when they run: let an agent run them with act, and show it the logs',
    ),
    rule(
      'runs.unsupported',
      0.1,
      'workflows use what cannot be run here: say in the prompt which runners and actions there are',
    ),
  ],
};

function rule(reason: string, above: number, advice: string): SuiteFailures['rules'][number] {
  return { id: reason, counts: { class: reason }, above, advice };
}
