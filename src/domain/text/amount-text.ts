/** `$0.0123`; four digits below a dollar, where the digits matter. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd !== 0 && usd < 1 ? 4 : 2)}`;
}

/** `12,345`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** `$0.04 and 1,200 tokens`. */
export function amountText({ microUsd, tokens }: { microUsd: number; tokens: number }): string {
  return `${dollars(microUsd / 1_000_000)} and ${grouped(tokens)} tokens`;
}
