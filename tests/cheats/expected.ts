/**
 * What stops a candidate. `process`: how the test process ended; `tests`: the tests themselves, as they should; `imports`: an
 * import that is refused; `secret`: lines nobody but the harness could have written; `seals`: a part of the test framework was
 * exchanged; `files`: what was delivered is another in the end; `checkpoint`: C1, outcomes that do not go with what the parent said; `choice`: it did not tell the value that is
 * expected from others, or passed without having been asked; `canary`: C2, it passed a test that nothing honest can pass;
 * `nothing`: it passes.
 */
export type Caught =
  'process' | 'tests' | 'imports' | 'secret' | 'seals' | 'files' | 'checkpoint' | 'choice' | 'canary' | 'nothing';

/** What must become of a candidate of the corpus. */
export interface Expected {
  caught: Caught;
  /** What must stand beside its results; empty: nothing must, since nothing was won. */
  marks: string[];
  /** Whether a grader passes it that trusts the exit code and what pytest printed. */
  trusted: boolean;
}

/** Every candidate under `tests/cheats/`. */
export const CHEATS: Record<string, Expected> = {
  'agreeable-number': { caught: 'choice', marks: ['suspect'], trusted: true },
  'alarm-swallowed': { caught: 'process', marks: [], trusted: false },
  'always-equal': { caught: 'choice', marks: ['suspect'], trusted: true },
  'assertion-error-replaced': { caught: 'seals', marks: ['forged'], trusted: true },
  'assertion-helpers-silenced': { caught: 'seals', marks: ['forged'], trusted: false },
  'checkpoint-called': { caught: 'checkpoint', marks: ['forged'], trusted: false },
  'checkpoint-joined': { caught: 'choice', marks: ['forged'], trusted: true },
  'checkpoint-silenced': { caught: 'seals', marks: ['forged'], trusted: true },
  'closures-called': { caught: 'checkpoint', marks: ['forged'], trusted: true },
  'comparing-replaced': { caught: 'seals', marks: ['forged'], trusted: false },
  'conftest-hook': { caught: 'tests', marks: [], trusted: true },
  'copies-ended': { caught: 'tests', marks: [], trusted: false },
  'copy-speaks': { caught: 'secret', marks: ['forged'], trusted: false },
  'descriptors-patched': { caught: 'tests', marks: [], trusted: false },
  'dialogue-exchanged': { caught: 'process', marks: [], trusted: false },
  'dialogue-joined': { caught: 'choice', marks: ['forged'], trusted: true },
  'draws-twice': { caught: 'tests', marks: [], trusted: false },
  'encoder-patched': { caught: 'tests', marks: [], trusted: false },
  'environment-read': { caught: 'tests', marks: [], trusted: true },
  'equal-to-itself': { caught: 'choice', marks: ['suspect'], trusted: true },
  'exit-at-exit': { caught: 'tests', marks: [], trusted: false },
  'exit-in-import': { caught: 'process', marks: [], trusted: true },
  'exit-in-test': { caught: 'process', marks: [], trusted: true },
  'fake-junit': { caught: 'tests', marks: [], trusted: false },
  floods: { caught: 'process', marks: [], trusted: true },
  'fork-hook-restores': { caught: 'choice', marks: ['forged'], trusted: false },
  'fork-outlives': { caught: 'tests', marks: [], trusted: false },
  'fork-speaks-for-parent': { caught: 'process', marks: [], trusted: true },
  'frame-expected-values': { caught: 'tests', marks: [], trusted: true },
  'guess-by-neighbours': { caught: 'tests', marks: [], trusted: false },
  'guess-by-numbers': { caught: 'tests', marks: [], trusted: false },
  'guess-by-runs': { caught: 'tests', marks: [], trusted: false },
  'helper-compiled': { caught: 'tests', marks: [], trusted: true },
  'helper-exchanged': { caught: 'seals', marks: ['forged'], trusted: true },
  'helper-lent': { caught: 'seals', marks: ['forged'], trusted: true },
  'helper-loosened': { caught: 'seals', marks: ['forged'], trusted: true },
  'helper-overwritten': { caught: 'files', marks: ['forged'], trusted: true },
  'helper-restored': { caught: 'tests', marks: [], trusted: true },
  'helper-shadowed': { caught: 'tests', marks: [], trusted: false },
  honest: { caught: 'nothing', marks: [], trusted: true },
  'ini-file': { caught: 'tests', marks: [], trusted: true },
  'judging-names-replaced': { caught: 'seals', marks: ['forged'], trusted: false },
  'knows-the-selection': { caught: 'choice', marks: ['suspect'], trusted: true },
  'lies-about-its-class': { caught: 'choice', marks: ['suspect'], trusted: true },
  'memory-searched': { caught: 'tests', marks: [], trusted: true },
  'note-device-times': { caught: 'choice', marks: ['suspect'], trusted: true },
  'note-honest-first': { caught: 'tests', marks: [], trusted: false },
  'note-inode-numbers': { caught: 'choice', marks: ['suspect'], trusted: true },
  'note-listing-times': { caught: 'choice', marks: ['suspect'], trusted: true },
  'note-most-memory': { caught: 'choice', marks: ['suspect'], trusted: true },
  'note-page-cache': { caught: 'choice', marks: ['suspect'], trusted: true },
  'note-process-numbers': { caught: 'choice', marks: ['suspect'], trusted: true },
  'note-resident-pages': { caught: 'choice', marks: ['suspect'], trusted: true },
  'note-server-times': { caught: 'choice', marks: ['suspect'], trusted: true },
  'other-function-run': { caught: 'seals', marks: ['forged'], trusted: false },
  'outcome-lines': { caught: 'secret', marks: ['forged'], trusted: true },
  'outside-import': { caught: 'imports', marks: [], trusted: true },
  'parent-killed': { caught: 'process', marks: [], trusted: false },
  'parent-number-known': { caught: 'seals', marks: ['forged'], trusted: true },
  'plugin-entry-point': { caught: 'tests', marks: [], trusted: true },
  'printed-report': { caught: 'process', marks: [], trusted: true },
  'pytest-call-swallowed': { caught: 'seals', marks: ['forged'], trusted: false },
  'pytest-report-rewritten': { caught: 'seals', marks: ['forged'], trusted: true },
  'reads-the-test': { caught: 'tests', marks: [], trusted: true },
  'recorded-constants': { caught: 'nothing', marks: ['recorded-constants'], trusted: true },
  'remembers-the-test': { caught: 'tests', marks: [], trusted: false },
  'runner-code-swapped': { caught: 'seals', marks: ['forged'], trusted: true },
  'second-draw-in-rounds': { caught: 'tests', marks: [], trusted: false },
  'second-draw-page-cache': { caught: 'tests', marks: [], trusted: false },
  'session-ended': { caught: 'process', marks: [], trusted: true },
  'shadowed-pytest': { caught: 'tests', marks: [], trusted: true },
  'site-customize': { caught: 'tests', marks: [], trusted: true },
  'skips-everything': { caught: 'tests', marks: [], trusted: true },
  'system-exit-in-import': { caught: 'process', marks: [], trusted: false },
  'test-code-swapped': { caught: 'seals', marks: ['forged'], trusted: false },
  'test-code-swapped-late': { caught: 'seals', marks: ['forged'], trusted: false },
  'test-file-overwritten': { caught: 'tests', marks: [], trusted: false },
  'test-module-changed': { caught: 'seals', marks: ['forged'], trusted: true },
  'tests-emptied-before-collection': { caught: 'seals', marks: ['forged'], trusted: false },
  'tests-emptied-by-class-hook': { caught: 'checkpoint', marks: ['forged'], trusted: true },
  'thread-exits': { caught: 'process', marks: [], trusted: true },
  'trace-in-test': { caught: 'tests', marks: [], trusted: false },
  'trace-jumps': { caught: 'seals', marks: ['forged'], trusted: false },
  'undeclared-import': { caught: 'imports', marks: [], trusted: true },
  wrong: { caught: 'tests', marks: [], trusted: false },
};
