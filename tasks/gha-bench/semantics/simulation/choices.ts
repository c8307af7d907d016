/** Runs that are looked at; with more that nobody knows, some are left out. */
const MOST_RUNS = 24;
/** Steps in all of them: few runs of what is long, so that many legs do not use up the time that a look may take. */
const MOST_STEPS = 1_000;

/** Values that a run takes for what only an execution shows. Equal keys have one value within a run. */
export class Choices {
  /** Keys in the order in which they were first asked for, with what they may be. */
  readonly asked = new Map<string, readonly string[]>();

  constructor(private readonly taken: ReadonlyMap<string, string> = new Map()) {}

  /** `domain` is not empty; its first value is taken where nothing else was decided. */
  choose(key: string, domain: readonly string[]): string {
    if (domain.length > 1) this.asked.set(key, domain);
    return this.taken.get(key) ?? domain[0] ?? '';
  }

  /** Decisions of the runs that differ from this one in what it was first to ask. */
  *others(): Generator<Map<string, string>> {
    const decided = new Map(this.taken);
    for (const [key, domain] of this.asked) {
      if (this.taken.has(key)) continue;
      for (const value of domain.slice(1)) yield new Map([...decided, [key, value]]);
      decided.set(key, domain[0] ?? '');
    }
  }
}

/** One result for every way in which what nobody knows may turn out; `steps` says how long one was. */
export function everyRun<Result>(run: (choices: Choices) => Result, steps: (result: Result) => number): Result[] {
  const results: Result[] = [];
  let done = 0;
  const waiting = [new Map<string, string>()];
  for (let taken = waiting.shift(); taken && results.length < MOST_RUNS && done < MOST_STEPS; taken = waiting.shift()) {
    const choices = new Choices(taken);
    const result = run(choices);
    results.push(result);
    done += steps(result);
    if (waiting.length < MOST_RUNS) waiting.push(...choices.others());
  }
  return results;
}
