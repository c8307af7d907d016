/** Lines of code a model is shown; the rest is cut and the cut said. */
const MAX_LINES = 120;
const MAX_CHARACTERS = 8_000;

/** The lines of an entry, decorators included, as far as they are shown to a model. */
export function excerpt(text: string, [first, last]: [number, number]): string {
  const lines = text.split('\n').slice(first - 1, last);
  const shown = lines.slice(0, MAX_LINES).join('\n').slice(0, MAX_CHARACTERS);
  return lines.length > MAX_LINES ? `${shown}\n# … ${lines.length - MAX_LINES} more lines` : shown;
}
