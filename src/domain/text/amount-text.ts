/** `$0.0123`; four digits below a dollar, where the digits matter. Of a difference: `−$50.00`. */
export function dollars(usd: number): string {
  const size = Math.abs(usd);
  return `${usd < 0 ? MINUS : ''}$${size.toFixed(size !== 0 && size < 1 ? 4 : 2)}`;
}

/** `12,345`; of a difference `−12,345`. */
export function grouped(count: number): string {
  return `${count < 0 ? MINUS : ''}${Math.abs(count).toLocaleString('en-US')}`;
}

/** The sign of figures, longer than a hyphen. */
const MINUS = '−';

/** `$0.04 and 1,200 tokens`. */
export function amountText({ microUsd, tokens }: { microUsd: number; tokens: number }): string {
  return `${dollars(microUsd / 1_000_000)} and ${grouped(tokens)} tokens`;
}
