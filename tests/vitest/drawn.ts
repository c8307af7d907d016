/** `whole`: everything is tried. Otherwise a number, the seed of the draw. */
const ASKED = process.env['DURABENCH_TESTS'] ?? '0';

/**
 * What a run tries of a corpus whose parts are alike and take minutes together: one of so many, in the order given, the same ones in
 * every run, so that what decides whether work lands is deterministic. `DURABENCH_TESTS=1` draws the next ones, `whole` tries all.
 * @param oneIn how many there are to each that is drawn
 */
export function drawn<Item>(corpus: readonly Item[], oneIn: number): Item[] {
  if (ASKED === 'whole') return [...corpus];
  return corpus.filter((_, index) => (index + Number(ASKED)) % oneIn === 0);
}

/** A number of generated cases: so many for everything, a share of them otherwise. */
export const drawnOf = (count: number, oneIn: number): number => (ASKED === 'whole' ? count : Math.ceil(count / oneIn));
