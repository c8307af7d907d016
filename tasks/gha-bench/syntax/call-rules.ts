import type { SyntaxProblem } from './syntax-report.js';
import type { YamlFile } from './yaml-file.js';

/** Levels of workflows that call workflows, the first one included. */
const MOST_LEVELS = 10;

/** Other forms are refused already. */
const LOCAL_CALL = /^[.$]\/\.github\/workflows\/[^/@]+\.ya?ml$/;

/**
 * Rule (f), across files: workflows that call themselves, or each other too deep; calls of files that are not there.
 * @param unread paths of files that are there and were not read
 */
export function callProblems(files: readonly YamlFile[], unread: ReadonlySet<string>): SyntaxProblem[] {
  const known = new Map(files.map((file) => [file.path, file]));
  const problems: SyntaxProblem[] = [];
  for (const file of files) {
    for (const { job, path } of localCalls(file)) {
      const report = (message: string): void =>
        void problems.push({ file: file.path, ...file.place(['jobs', job, 'uses']), rule: 'call', message });
      const target = known.get(path);
      if (unread.has(path)) continue;
      if (target === undefined) report(`${path} is not among the files`);
      else if (!isCallable(target)) report(`${path} cannot be called: it has no workflow_call`);
      else if (levels(path, known, [file.path]) > MOST_LEVELS)
        report(`${path} calls itself, or workflows more than ${MOST_LEVELS} levels deep`);
    }
  }
  return problems;
}

function localCalls({ value }: YamlFile): { job: string; path: string }[] {
  const jobs = (value as { jobs?: Record<string, { uses?: unknown } | null> } | null)?.jobs ?? {};
  return Object.entries(jobs).flatMap(([job, settings]) => {
    const uses = settings?.uses;
    return typeof uses === 'string' && LOCAL_CALL.test(uses) ? [{ job, path: uses.slice(2) }] : [];
  });
}

function isCallable({ value }: YamlFile): boolean {
  const on = (value as { on?: unknown } | null)?.on;
  if (typeof on === 'string') return on === 'workflow_call';
  if (Array.isArray(on)) return on.includes('workflow_call');
  return typeof on === 'object' && on !== null && 'workflow_call' in on;
}

/** Levels from this file down; infinite where it calls itself. */
function levels(path: string, known: ReadonlyMap<string, YamlFile>, above: readonly string[]): number {
  if (above.includes(path)) return Infinity;
  const file = known.get(path);
  const below = file === undefined ? [] : localCalls(file).map((call) => levels(call.path, known, [...above, path]));
  return 1 + above.length > MOST_LEVELS ? Infinity : Math.max(1 + above.length, ...below);
}
