import type { Records } from '../../ports/records.js';
import { spentAmounts, usedWords } from '../../report/words/budget-words.js';

/** What all campaigns together have used of the operator's limit over them, in a line; none where there is no limit. */
export function installationLines({ budget, spent }: Awaited<ReturnType<Records['installationBudget']>>): string[] {
  if (spent === null) return [];
  const used = usedWords(budget, spentAmounts(spent));
  return used === null ? [] : [`installation ${used}, over all campaigns`];
}
