import { test, TestRunner } from 'vitest';

/** Seconds since 1970 after which no further file is begun; set by who has to be done in time, as `.ci/run` has. */
const until = Number(process.env['DURABENCH_TESTS_UNTIL'] ?? Infinity);

/** Leaves out the files that the time does not last for, each as one skipped test that says so. */
export default class UntilDeadline extends TestRunner {
  override importFile(...[path, source]: Parameters<TestRunner['importFile']>): unknown {
    if (source !== 'collect' || Date.now() / 1000 < until) return super.importFile(path, source);
    test('begins', ({ skip }) => skip(`no time was left for ${path.slice(process.cwd().length + 1)}`));
    return undefined;
  }
}
