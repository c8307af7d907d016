/** Why an operator asks, for the record: what `--reason` says; one without a word is none. */
export function givenReason({ reason }: Record<string, unknown>): string | undefined {
  return (typeof reason === 'string' && reason.trim()) || undefined;
}
