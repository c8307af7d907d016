import type { z } from 'zod';
import type { Problem } from '../../../src/contract/problem.js';
import type { GhaTask, mutantsSchema } from './task-schema.js';

type Mutant = z.infer<typeof mutantsSchema>['mutants'][number];

/** The oracle with the edits of a mutant. An edit whose text is not there exactly once is a problem. */
export function mutantTree(
  task: string,
  { edits, ...mutant }: Mutant,
  oracle: Readonly<Record<string, string>>,
  problems: Problem[],
): GhaTask['mutants'][number] {
  const tree = { ...oracle };
  for (const { file, find, replace } of edits) {
    const parts = tree[file]?.split(find) ?? [];
    if (parts.length === 2) tree[file] = parts.join(replace);
    else problems.push(notOnce(`task ${task}: mutants.yaml: mutant ${mutant.id}`, file, parts.length - 1));
  }
  return { ...mutant, tree };
}

const notOnce = (place: string, file: string, times: number): Problem => ({
  message: times < 0 ? `${place}: the oracle has no file ${file}` : `${place}: \`find\` is in ${file} ${times} times`,
  expected: 'a text that is in the file exactly once',
  fix: times > 1 ? 'add what stands before or behind it' : 'copy it from the oracle',
});
