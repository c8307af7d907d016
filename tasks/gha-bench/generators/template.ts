import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StageContext } from '../../../src/suite/stage.js';
import type { TextTree } from '../dataset/read-task.js';
import type { GhaTask } from '../dataset/task-schema.js';
import { optionsOf } from '../settings.js';

/** Words of a request → the template that is handed out; the first that fits. */
const TEMPLATES: readonly [words: RegExp, name: string][] = [
  [/\bschedul|every (night|day|week)|nightly|\bcron\b/i, 'schedule'],
  [/\bimage\b|\bdocker\b|\bregistry\b/i, 'docker'],
  [/\brelease\b|\btag(s|ged)?\b/i, 'release'],
  [/\bpython\b|\bpytest\b|\bpip\b/i, 'python'],
  [/\bnpm\b|\bnode(\.js)?\b|\bjavascript\b/i, 'node'],
];

/** A workflow of a small pool, chosen by words of the request: the floor without a model. */
export async function templateTree(task: GhaTask, { system, suiteFolder }: StageContext): Promise<TextTree> {
  const request = task.prompts[optionsOf(system).prompt];
  const name = TEMPLATES.find(([words]) => words.test(request))?.[1] ?? 'plain';
  const text = await readFile(join(suiteFolder, 'generators', 'templates', `${name}.yml`), 'utf8');
  return { [task.spec.files[0] ?? '.github/workflows/ci.yml']: text };
}
