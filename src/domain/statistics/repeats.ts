/**
 * pass@k of one task: the chance that at least one of k of its repeats, drawn without replacement, passed:
 * 1 − C(n − c, k) / C(n, k), an unbiased estimate for k fresh repeats (Chen et al., Evaluating Large Language Models
 * Trained on Code, 2021, eq. 1). Null where fewer than k were graded.
 */
export function passAtK({ graded, passed }: Repeats, k: number): number | null {
  return graded < k ? null : 1 - subsets(graded - passed, graded, k);
}

/**
 * pass^k of one task: the chance that all of k of its repeats passed: C(c, k) / C(n, k), unbiased for the same reason
 * (Yao et al., τ-bench, 2024, § 4). Null where fewer than k were graded.
 */
export function passHatK({ graded, passed }: Repeats, k: number): number | null {
  return graded < k ? null : subsets(passed, graded, k);
}

/** Repeats of one task by one system. */
export interface Repeats {
  graded: number;
  passed: number;
}

/** C(some, k) / C(all, k), as a product: the coefficients themselves overflow. */
function subsets(some: number, all: number, k: number): number {
  let share = 1;
  for (let drawn = 0; drawn < k; drawn += 1) share *= Math.max(0, some - drawn) / (all - drawn);
  return share;
}

/** Which k are told of a campaign: powers of two, and the number of repeats. */
export function toldK(repeats: number): number[] {
  const powers = Array.from({ length: Math.floor(Math.log2(repeats)) + 1 }, (_, power) => 2 ** power);
  return [...new Set([...powers, repeats])];
}
