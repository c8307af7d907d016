import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import type { CrashFacts } from './crash-facts.js';
import { crashTable } from './crash-table.js';
import { LOADS } from './loads.js';
import type { VictimName } from './victims.js';

/** One kill of a long run; without facts: why there are none. */
export type RecordedKill = { kill: number; victim: VictimName; at: string; load: number; seed: number } & (
  { facts: CrashFacts } | { error: string }
);

/** Above it, a kill's seconds say more about the other work on the machine. */
const CROWDED_LOAD = 5 * cpus().length;

/** What a long run has seen: JSON lines, one a kill, and a page made from all of them after each. */
export class CrashRecord {
  readonly kills: RecordedKill[];

  /** Goes on with what the file holds. @param file without its ending: `.jsonl` and `.md` */
  constructor(private readonly file: string) {
    const path = `${file}.jsonl`;
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
    this.kills = lines.map((line) => JSON.parse(line) as RecordedKill);
    if (this.kills.some((kill) => 'facts' in kill && !('spentAgain' in kill.facts)))
      throw new Error(`${path} holds kills of another load, without all that is looked at now: name another record`);
  }

  /** Written at once: a run that is killed itself has lost nothing. */
  add(kill: { kill: number; victim: VictimName; seed: number } & ({ facts: CrashFacts } | { error: string })): void {
    const line = { at: new Date().toISOString(), load: Math.round(loadavg()[0] ?? NaN), ...kill };
    this.kills.push(line);
    appendFileSync(`${this.file}.jsonl`, `${JSON.stringify(line)}\n`);
    writeFileSync(`${this.file}.md`, this.page());
  }

  /** Everything that must not be: one line each. */
  trouble(): string[] {
    return this.kills.flatMap((kill) => troubleOf(kill).map((what) => `kill ${kill.kill}, ${kill.victim}: ${what}`));
  }

  /** The record for people. */
  page(): string {
    const [first, last] = [this.kills[0], this.kills.at(-1)];
    const loads = this.kills.map(({ load }) => load);
    const trouble = this.trouble();
    const gib = (totalmem() / 2 ** 30).toFixed(0);
    const seeds = [...new Set(this.kills.map(({ seed }) => seed))].join(', ');
    const sizes = Object.values(LOADS).map((load) => `${load.name} ${load.trials}, ${load.atOnce} at once`);
    const uncrowded = this.kills.filter(({ load }) => load <= CROWDED_LOAD);
    return `# Kills so far: ${this.kills.length}

Written by \`npm run chaos\` (\`bench/chaos.ts\`, seed ${seeds}), which can be stopped and goes on where it was; each kill with its figures is a line of the file beside this one. ${cpus().length} x ${cpus()[0]?.model}, ${gib} GiB, Node ${process.version}, ${first?.at} to ${last?.at}, load average ${Math.min(...loads)} to ${Math.max(...loads)} (other work on the machine, as far as it is above ${cpus().length}). Trials: ${sizes.join('; ')}. Seconds: median, most.

${tableOf(this.kills)}
${uncrowded.length === this.kills.length ? '' : `\nOnly the ${uncrowded.length} kills at a load average of at most ${CROWDED_LOAD}:\n\n${tableOf(uncrowded)}\n`}
${trouble.length === 0 ? 'Nothing was lost, changed, left or paid twice but for calls that were in flight, and nobody had to do anything.' : trouble.map((line) => `- ${line}`).join('\n')}
`;
  }
}

function tableOf(kills: readonly RecordedKill[]): string {
  return crashTable(kills.flatMap((kill) => ('facts' in kill ? [kill.facts] : [])));
}

function troubleOf(kill: RecordedKill): string[] {
  if ('error' in kill) return [kill.error];
  const { lost, changed, left, answeredRepeated, callsRepeated, callsMarked, callsInFlight, watchExit } = kill.facts;
  const { doneBefore, spentUnexplained, openSends, unbalanced } = kill.facts;
  return [
    ...(doneBefore > 0 ? [] : ['nothing was finished that could have been lost']),
    ...[...lost.map((id) => `lost ${id}`), ...changed, ...left.map((what) => `left: ${what}`)],
    ...(spentUnexplained === 0 ? [] : [`spent ${spentUnexplained} micro-dollars more than it should`]),
    ...(openSends === 0 ? [] : [`${openSends} sends stayed open`]),
    ...unbalanced.map((scope) => `the counters of ${scope} are not the sums over its sends`),
    ...(answeredRepeated > 0 ? [`${answeredRepeated} answered calls were sent again`] : []),
    ...(callsRepeated > callsMarked ? [`${callsRepeated} calls went out again, ${callsMarked} are marked`] : []),
    ...(callsMarked > callsInFlight ? [`${callsMarked} calls are marked, ${callsInFlight} were in flight`] : []),
    ...(watchExit === 0 ? [] : [`the watching command ended with ${watchExit}`]),
  ];
}
