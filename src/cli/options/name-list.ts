/** The words of an option, separated by commas, each once; undefined where it is left out. */
export function nameList(value: unknown): string[] | undefined {
  return typeof value === 'string' ? [...new Set(value.split(',').map((word) => word.trim()))] : undefined;
}
