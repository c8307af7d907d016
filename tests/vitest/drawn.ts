/** `whole`: everything is tried. Otherwise a number, which others are drawn by. */
const ASKED = process.env['DURABENCH_TESTS'] ?? '0';

/** Whether this run tries everything, however long that takes. */
export const IS_WHOLE_RUN = ASKED === 'whole';

// Else nothing would be drawn, and every corpus pass.
if (!IS_WHOLE_RUN && !/^\d+$/.test(ASKED)) throw new Error(`DURABENCH_TESTS is "${ASKED}": a number, or whole`);

/** Files that take minutes each, and repeat under kills or at length what shorter files assert: only a whole run tries them. */
export const WHOLE_RUN_ONLY = [
  'tests/adapters/nested-engine-probe.test.ts',
  'tests/artisan/build-kills.test.ts',
  'tests/artisan/kills.test.ts',
  'tests/crash/docker-away.test.ts',
  'tests/docs/zerorepo-guide.test.ts',
  'tests/engine/large-cancel.test.ts',
  'tests/gha-bench/kills.test.ts',
  'tests/repocraft/agents/agent-crash.test.ts',
  'tests/repocraft/agents/long-command.test.ts',
  'tests/repocraft/dataset-build.test.ts',
  'tests/repocraft/zerorepo/crash.test.ts',
];

/**
 * What a run tries of a corpus whose parts are alike and take minutes together: one of so many, in the order given, the same ones in
 * every run, so that what decides whether work lands is deterministic. `DURABENCH_TESTS=1` draws others, `whole` tries all.
 * @param oneIn how many there are to each that is drawn
 */
export function drawn<Item>(corpus: readonly Item[], oneIn: number): Item[] {
  if (IS_WHOLE_RUN) return [...corpus];
  return corpus.filter((_, index) => (index + Number(ASKED)) % oneIn === 0);
}

/** How many generated cases a run tries: all of so many, or one in so many. */
export const drawnOf = (count: number, oneIn: number): number => (IS_WHOLE_RUN ? count : Math.ceil(count / oneIn));
