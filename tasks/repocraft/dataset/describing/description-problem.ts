import { tellingText } from './refuse-telling.js';
import type { RepocraftTask } from '../repocraft-task.js';

/** Fewer characters say nothing, more are the test in other words. */
const SHORTEST = 40;
const LONGEST = 2000;

/** Several words made one: `super_len`, `RequestsCookieJar`. One word alone may be the plain name of the thing. */
const SEVERAL_WORDS = /[a-z0-9]_[a-z0-9]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;
/** `value(s)` is English. What is quoted may be code: an option, a message, a key that a test demands as it is. */
const QUOTED = /"[^"]*"/g;
const CODE = /`|\w_\w|\w\((?!s\))|==|->|=>/;

/**
 * Why a description that was not made by rule may not be given to a system: it names the project, holds code or names of
 * the reference, or is too short or too long. Undefined when it may.
 */
export function descriptionProblem(
  description: string,
  task: Pick<RepocraftTask, 'targets' | 'imports'>,
  givingAway: readonly string[],
): string | undefined {
  if (description.length < SHORTEST) return `it has fewer than ${SHORTEST} characters`;
  if (description.length > LONGEST) return `it has more than ${LONGEST} characters`;
  const [telling] = tellingText(description, givingAway);
  if (telling !== undefined) return `it says "${telling}", which gives the library away`;
  const words = new Set(description.match(/\w+/g));
  const name = referenceNames(task).find((each) => words.has(each));
  if (name !== undefined) return `it says "${name}", a name of the library`;
  const code = CODE.exec(description.replaceAll(QUOTED, ''))?.[0];
  return code === undefined ? undefined : `it holds code ("${code}")`;
}

/** Parts of the reference's paths that nobody would write by chance. */
function referenceNames({ targets, imports }: Pick<RepocraftTask, 'targets' | 'imports'>): string[] {
  const paths = [...targets, ...imports.flatMap(({ module, name, uses }) => [module, name ?? '', ...uses])];
  return [...new Set(paths.flatMap((path) => path.split('.')))].filter((part) => SEVERAL_WORDS.test(part));
}
