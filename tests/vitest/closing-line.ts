import type { Reporter, TestModule } from 'vitest/node';

/** Prints the one line CI reads: `tests: N passed, N failed, N skipped`, with the reason beside every skipped test. */
export class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed += 1;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed') counts[state] += 1;
        else {
          counts.skipped += 1;
          const note = test.result();
          console.log(`skipped: ${test.fullName}: ${('note' in note ? note.note : undefined) ?? 'no reason given'}`);
        }
      }
    }
    counts.failed += errors.length;
    console.log(`\ntests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
