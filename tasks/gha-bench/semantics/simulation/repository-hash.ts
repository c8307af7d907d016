import type { Semantics } from '../model/model.js';
import { matchesGlob } from './glob.js';

/** hashFiles() over the task's repository: '' where no file matches, as GitHub's. */
export function repositoryHash({ facts }: Semantics): (patterns: string[]) => string {
  const files = Object.keys(facts.files);
  return (patterns) => {
    const written = patterns.flatMap((pattern) => pattern.split('\n')).map((pattern) => pattern.trim());
    const wanted = written.slice(0, 20).map((pattern) => pattern.replace(/^\.\//, ''));
    const found = files.filter((file) => wanted.some((pattern) => matchesGlob(pattern, file)));
    return found.length === 0 ? '' : `hash(${found.join(' ')})`;
  };
}
