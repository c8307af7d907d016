import type { CrashFacts } from './crash-facts.js';
import { VICTIMS, type Victim } from './victims.js';

/** The crash table as Markdown: one row a victim, over all its crashes; counts are sums, seconds are median and most. */
export function crashTable(all: readonly CrashFacts[]): string {
  const head = [
    ...['victim', 'load', 'kills', 'trials in flight', 'finished before the kill', 'finished lost'],
    ...['verdicts changed', 'answered calls repeated', 'kills with calls in flight'],
    ...['in-flight calls repeated / marked / in flight', 'µ$ for calls repeated / unexplained'],
    ...['sends left open', 'budgets off', 'left', 'seconds until progress', 'aim', 'met'],
    ...['seconds until the end', 'hand movements'],
  ];
  const lines = [
    head,
    head.map(() => '---'),
    ...VICTIMS.map((victim) => row(victim, all)).filter((cells) => cells !== null),
  ];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** null: it was never killed. */
function row(victim: Victim, all: readonly CrashFacts[]): (string | number)[] | null {
  const crashes = all.filter((one) => one.victim === victim.name);
  if (crashes.length === 0) return null;
  const sum = (count: (one: CrashFacts) => number): number => crashes.reduce((total, one) => total + count(one), 0);
  const calls = [sum((one) => one.callsRepeated), sum((one) => one.callsMarked), sum((one) => one.callsInFlight)];
  const aim = `≤ ${victim.progressWithinSeconds}${victim.until ? ' after its restart' : ''}`;
  const met = crashes.filter(({ progressSeconds }) => progressSeconds <= victim.progressWithinSeconds).length;
  const watched = crashes.filter(({ watchExit }) => watchExit === 0).length;
  return [
    ...[victim.name, victim.load, crashes.length, range(crashes.map(({ inFlight }) => inFlight))],
    ...[range(crashes.map(({ doneBefore }) => doneBefore)), sum((one) => one.lost.length)],
    ...[sum((one) => one.changed.length), sum((one) => one.answeredRepeated)],
    ...[crashes.filter(({ callsInFlight }) => callsInFlight > 0).length, calls.join(' / ')],
    `${sum((one) => one.spentAgain)} / ${sum((one) => Math.abs(one.spentUnexplained))}`,
    ...[sum((one) => one.openSends), sum((one) => one.unbalanced.length), sum((one) => one.left.length)],
    ...[spread(crashes.map((one) => one.progressSeconds)), aim],
    met === crashes.length ? 'met' : `not met: ${met} of ${crashes.length}`,
    spread(crashes.map((one) => one.endSeconds)),
    // Whoever watched saw the end: nobody had to do anything for it.
    crashes.length - watched,
  ];
}

function range(values: readonly number[]): string {
  return `${Math.min(...values)}–${Math.max(...values)}`;
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  return `${(sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN).toFixed(1)}, ${(sorted.at(-1) ?? NaN).toFixed(1)}`;
}
