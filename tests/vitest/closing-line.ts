import type { Reporter, TestModule } from 'vitest/node';
import { IS_WHOLE_RUN, WHOLE_RUN_ONLY } from './drawn.js';

const LONGEST = 12;
const LEFT_OUT = `\nleft to DURABENCH_TESTS=whole, beside parts of long corpora:\n  ${WHOLE_RUN_ONLY.join('\n  ')}`;

/** Prints the one line CI reads: `tests: N passed, N failed, N skipped`, with the reason beside every skipped test, after the files that took longest. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      const hasFailed = module.errors().length > 0;
      if (hasFailed) counts.failed += 1;
      const unknown = hasFailed ? 'its file failed before it' : 'no reason given';
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed') counts[state] += 1;
        else {
          counts.skipped += 1;
          const note = test.result();
          console.log(`skipped: ${test.fullName}: ${('note' in note ? note.note : undefined) ?? unknown}`);
        }
      }
    }
    counts.failed += errors.length;
    if (modules.length > LONGEST) {
      console.log(longestOf(modules));
      if (!IS_WHOLE_RUN) console.log(LEFT_OUT);
    }
    console.log(`\ntests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}

/** Where the time of a run goes. */
function longestOf(modules: readonly TestModule[]): string {
  const times = modules.map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }));
  const longest = times.toSorted((one, other) => other.ms - one.ms).slice(0, LONGEST);
  const lines = longest.map(({ name, ms }) => `${(ms / 1000).toFixed(0).padStart(7)} s  ${name}`);
  return ['\nlongest files:', ...lines].join('\n');
}
