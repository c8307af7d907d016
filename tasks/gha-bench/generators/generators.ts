import type { GeneratorTraits } from '../../../src/suite/generation.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { GhaTask } from '../dataset/task-schema.js';
import type { TextTree } from '../dataset/read-task.js';
import { knownTree } from './known.js';
import { promptedAnswer } from './prompted.js';
import { snapshotAnswer } from './snapshot.js';
import { templateTree } from './template.js';

/** What a generator hands over: files, or the text of a model's answer. */
export type Made = { tree: TextTree } | { files: ReadonlyMap<string, Uint8Array> } | { answer: string };

/** One way to make a candidate. */
export interface GhaGenerator extends GeneratorTraits {
  make(task: GhaTask, context: StageContext): Promise<Made>;
}

const plain = { needsModel: false, needsPath: false, phase: 'grade' } as const;

/** Every generator a campaign file may name. */
export const GENERATORS: Readonly<Record<string, GhaGenerator>> = {
  oracle: {
    ...plain,
    description: 'the solution that belongs to the task: the ceiling, passes every task',
    make: async ({ oracle }) => ({ tree: oracle }),
  },
  alternative: {
    ...plain,
    description: 'another solution that is right too; passes every task',
    make: async ({ alternatives }) => ({ tree: Object.values(alternatives)[0] ?? {} }),
  },
  known: {
    ...plain,
    description: 'the oracle for a share of tasks (options.skill), for the others it with a known mistake',
    make: async (task, context) => ({ tree: knownTree(task, context) }),
  },
  template: {
    ...plain,
    description: 'a workflow of a pool, chosen by words of the request: the floor without a model',
    make: async (task, context) => ({ tree: await templateTree(task, context) }),
  },
  prompted: {
    ...plain,
    needsModel: true,
    purposes: ['generate'],
    phase: 'generate',
    description: 'asks a model once, with a prompt and a context (options)',
    make: async (task, context) => ({ answer: await promptedAnswer(task, context) }),
  },
  null: {
    ...plain,
    description: 'no file; must pass nothing',
    make: async () => ({ tree: {} }),
  },
  snapshot: {
    ...plain,
    needsPath: true,
    description: 'a folder or archive of your own with a folder for each task id, files or answer.md in it, by path',
    make: ({ id }, context) => snapshotAnswer(id, context),
  },
};
