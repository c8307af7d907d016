/** How far two who each name a category for the same things agree. */
export interface Agreement {
  /** Things that both named a category for. */
  total: number;
  /** Those for which both named the same. */
  agreed: number;
  /** Cohen's kappa (Cohen 1960); null where nothing is compared, or chance alone would agree always. */
  kappa: number | null;
}

/** @param pairs of each thing what the one says and what the other says */
export function agreementOf<Category>(pairs: readonly (readonly [one: Category, other: Category])[]): Agreement {
  const total = pairs.length;
  const agreed = pairs.filter(([one, other]) => one === other).length;
  const [ones, others] = [counts(pairs.map(([one]) => one)), counts(pairs.map(([, other]) => other))];
  // In whole numbers, so that two who always say one thing are told from two who nearly always do.
  const byChance = [...ones].reduce((sum, [category, count]) => sum + count * (others.get(category) ?? 0), 0);
  const kappa = byChance === total ** 2 ? null : (agreed * total - byChance) / (total ** 2 - byChance);
  return { total, agreed, kappa };
}

function counts<Category>(said: readonly Category[]): Map<Category, number> {
  const found = new Map<Category, number>();
  for (const category of said) found.set(category, (found.get(category) ?? 0) + 1);
  return found;
}
