/** Why an operator asks, for the record; without a word from him, the command itself: `pause`. */
export function reasonOf(options: Record<string, unknown>, command: string): string {
  return givenReason(options) ?? `durabench ${command}`;
}

/** What `--reason` says; one without a word is none. */
export function givenReason({ reason }: Record<string, unknown>): string | undefined {
  return (typeof reason === 'string' && reason.trim()) || undefined;
}
