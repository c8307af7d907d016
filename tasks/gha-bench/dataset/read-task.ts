import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ZodType } from 'zod';
import type { Problem } from '../../../src/contract/problem.js';
import { UserError } from '../../../src/domain/failure/user-error.js';
import { shapedYaml } from '../../../src/domain/shape/shape-problems.js';
import { mutantTree } from './mutants.js';
import {
  metadataSchema,
  mutantsSchema,
  runtimeChecksSchema,
  specSchema,
  staticChecksSchema,
  taskSchema,
  type GhaTask,
} from './task-schema.js';
import { taskProblems } from './task-problems.js';

/** Files of a tree as text. */
export type TextTree = Record<string, string>;

/**
 * Reads an authored task.
 * @param folder of the task; its name is the task's id
 * @throws UserError with everything that is wrong with it, each with its file
 */
export async function readTask(folder: string, id: string): Promise<GhaTask> {
  const files = await readTree(folder);
  const problems: Problem[] = [];
  const read = <Read>(file: string, schema: ZodType<Read>): Read | undefined =>
    yamlFile(files, { id, file, schema }, problems);
  const metadata = read('metadata.yaml', metadataSchema);
  const spec = read('spec.yaml', specSchema);
  const { roles, checks: staticChecks } = read('validation/static_checks.yaml', staticChecksSchema) ?? {};
  const scenarios = read('validation/runtime_checks.yaml', runtimeChecksSchema)?.scenarios;
  const mutants = read('mutants.yaml', mutantsSchema)?.mutants ?? [];
  const oracle = below(files, 'oracle/');
  const draft = {
    ...{ version: 1 as const, id, metadata, spec },
    prompts: { minimal: files['prompts/minimal.md'], detailed: files['prompts/detailed.md'] },
    ...{ repo: below(files, 'repo/'), oracle, alternatives: subtrees(below(files, 'alternatives/')) },
    mutants: mutants.map((mutant) => mutantTree(id, mutant, oracle, problems)),
    ...{ roles, staticChecks, scenarios },
  };
  const task = problems.length === 0 ? checked(id, draft, problems) : undefined;
  if (task !== undefined) problems.push(...taskProblems(task));
  if (task === undefined || problems.length > 0) throw new UserError('environment', problems);
  return task;
}

/** All files below a folder. Authored text: a file that is not UTF-8 is refused with its place. */
async function readTree(folder: string): Promise<TextTree> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .sort();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, decoder.decode(await readFile(join(folder, name)))] as const)),
  );
}

function yamlFile<Read>(
  files: TextTree,
  { id, file, schema }: { id: string; file: string; schema: ZodType<Read> },
  problems: Problem[],
): Read | undefined {
  const place = `task ${id}: ${file}`;
  const text = files[file];
  if (text === undefined) {
    problems.push({ message: `${place} is missing`, fix: 'write it; docs/gha-bench/tasks.md says what belongs in it' });
    return undefined;
  }
  const shaped = shapedYaml(text, place, schema);
  problems.push(...shaped.problems);
  return shaped.value;
}

function checked(id: string, draft: unknown, problems: Problem[]): GhaTask | undefined {
  const parsed = taskSchema.safeParse(draft);
  if (parsed.success) return parsed.data;
  problems.push(
    ...parsed.error.issues.map(({ path, message }) => wrong(`task ${id}`, `${path.join('.')}: ${message}`)),
  );
  return undefined;
}

const wrong = (place: string, what: string): Problem => ({
  message: `${place}: ${what}`,
  fix: 'correct it; docs/gha-bench/tasks.md says what belongs in it',
});

function below(files: TextTree, prefix: string): TextTree {
  const inside = Object.entries(files).filter(([path]) => path.startsWith(prefix));
  return Object.fromEntries(inside.map(([path, text]) => [path.slice(prefix.length), text]));
}

/** First folder → its files. */
function subtrees(files: TextTree): Record<string, TextTree> {
  const names = new Set(Object.keys(files).map((path) => path.split('/')[0] ?? ''));
  return Object.fromEntries([...names].map((name) => [name, below(files, `${name}/`)]));
}
