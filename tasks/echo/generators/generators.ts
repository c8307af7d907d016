import type { BatchPhase } from '../../../src/contract/plan.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { EchoTask } from '../dataset/echo-task.js';
import { modelAnswer } from './model.js';
import { noiseAnswer } from './noise.js';

/** One way to make an answer. */
export interface EchoGenerator {
  description: string;
  needsModel: boolean;
  /** Keys of a system's `purposes`. */
  purposes?: readonly string[];
  phase: BatchPhase;
  answer(task: EchoTask, context: StageContext): Promise<string>;
}

/** Every generator a campaign file may name. */
export const GENERATORS: Readonly<Record<string, EchoGenerator>> = {
  echo: {
    description: 'repeats perfectly: the ceiling, passes every task',
    needsModel: false,
    phase: 'grade',
    answer: async ({ expected }) => `Answer: ${expected}`,
  },
  noise: {
    description: 'right or wrong by the campaign’s seed, the same way every time',
    needsModel: false,
    phase: 'grade',
    answer: async (task, context) => noiseAnswer(task, context),
  },
  model: {
    description: 'asks a model, once a task',
    needsModel: true,
    purposes: ['generate'],
    phase: 'generate',
    answer: (task, context) => modelAnswer(task, context),
  },
};
