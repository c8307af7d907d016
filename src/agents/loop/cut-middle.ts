/** What may be told at once, and what is left of more: its beginning and its end. In characters. */
export interface CutRule {
  most: number;
  /** Kept of each end. */
  kept: number;
}

/** Of what a command printed, and of what a tool says. */
export const OBSERVATION: CutRule = { most: 100_000, kept: 5_000 };
/** Of what a model said itself: it is told so again with every turn. */
export const SAID: CutRule = { most: 20_000, kept: 5_000 };

/** The text, or its two ends with the cut marked between them. */
export function cutMiddle(text: string, { most, kept }: CutRule): string {
  if (text.length <= most) return text;
  const cut = text.length - 2 * kept;
  return `${text.slice(0, kept)}\n[… ${cut.toLocaleString('en')} characters left out here …]\n${text.slice(-kept)}`;
}
