import {
  agreed,
  commandLine,
  isLike,
  legsOf,
  legsText,
  matrixText,
  roleText,
  toolNumbers,
  type ActRun,
  type ToolRun,
} from './act-run.js';
import type { Assertion } from './scenario.js';

/** `unsupported`: act cannot do what is asked, so that nothing was proven; it never counts as passed. */
export interface Judged {
  id: string;
  verdict: 'passed' | 'failed' | 'unsupported';
  expected: string;
  found: string;
}

interface Finding {
  holds: boolean;
  expected: string;
  found: string;
}

/** Whether an assertion holds of a run. */
export function judgeAssertion(assertion: Assertion, run: ActRun): Judged {
  const { id } = assertion;
  const { holds, expected, found } = find(assertion, run);
  if (run.log.unsupported.length > 0)
    return { id, verdict: 'unsupported', expected, found: run.log.unsupported.join('; ') };
  if (run.ended === 'panic') return { id, verdict: 'unsupported', expected, found: 'act broke down over the workflow' };
  // What was cut short shows nothing that is absent.
  if (run.ended !== 'itself') return { id, verdict: 'failed', expected, found: LIMITS[run.ended] };
  return { id, verdict: holds ? 'passed' : 'failed', expected, found };
}

const LIMITS = {
  time: 'the run did not end in its time',
  output: 'the run printed more than is read',
  disk: 'the run filled the disk',
  memory: 'the run used up the memory',
  processes: 'the run started more processes than it may',
} as const;

function find(assertion: Assertion, run: ActRun): Finding {
  switch (assertion.kind) {
    case 'conclusion':
      return conclusion(assertion, run);
    case 'order':
      return order(assertion, run);
    case 'legs':
      return legs(assertion, run);
    case 'output':
      return output(assertion, run);
    case 'artifact':
      return artifact(assertion, run);
    case 'log':
      return logged(assertion, run);
    case 'masked':
      return masked(assertion, run);
    case 'ran':
      return ran(assertion, run);
  }
}

type Of<Kind extends Assertion['kind']> = Extract<Assertion, { kind: Kind }>;

function conclusion({ of, is }: Of<'conclusion'>, run: ActRun): Finding {
  const found = legsOf(of, run);
  // A job that is skipped may leave no trace at all.
  const isAbsent = found.length === 0 && is === 'skipped';
  const holds = isAbsent || (found.length > 0 && found.every(({ result }) => result === is));
  return { holds, expected: `${roleText(of)}: ${is}`, found: legsText(found) };
}

function order({ first, then }: Of<'order'>, run: ActRun): Finding {
  const [before, after] = [legsOf(first, run), legsOf(then, run)];
  const last = Math.max(...before.map((leg) => run.log.legs.indexOf(leg)));
  const next = Math.min(...after.map((leg) => run.log.legs.indexOf(leg)));
  const isTold = before.length > 0 && after.length > 0;
  // Legs stand in the order they began, and act begins none before those it needs have ended.
  const holds = isTold && last < next && before.every(({ result }) => result !== 'unfinished');
  const expected = `${roleText(first)} before ${roleText(then)}`;
  return { holds, expected, found: isTold ? run.log.legs.map(({ job }) => job).join(', ') : 'not both were run' };
}

function legs({ of, count, are }: Of<'legs'>, run: ActRun): Finding {
  const number = legsOf(of, run).length;
  if (are === undefined || (count !== undefined && count !== number))
    return {
      holds: count === undefined || count === number,
      expected: `${count} of ${roleText(of)}`,
      found: String(number),
    };
  const sorted = (values: readonly Record<string, unknown>[]): string => values.map(matrixText).sort().join('; ');
  const [expected, found] = [sorted(are), sorted(legsOf(of, run).map(({ matrix }) => matrix))];
  return { holds: expected === found, expected, found };
}

function output({ of, name, matches }: Of<'output'>, run: ActRun): Finding {
  const outputs = legsOf(of, run).flatMap(({ steps }) => steps.flatMap((step) => Object.entries(step.outputs)));
  const named = outputs.filter(([key]) => name === undefined || key === name);
  const holds = named.some(([, value]) => isLike(matches, value));
  const expected = `an output ${name ?? ''} like /${matches}/`;
  return { holds, expected, found: outputs.map(([key, value]) => `${key}=${value}`).join(', ') || 'no output' };
}

function artifact({ name, file, matches }: Of<'artifact'>, run: ActRun): Finding {
  const named = run.artifacts.filter((each) => isLike(`^(?:${name})$`, each.name));
  const files = named.flatMap((each) => each.files ?? []).filter(({ path }) => file === undefined || path === file);
  const holds =
    matches === undefined && file === undefined
      ? named.length > 0
      : files.some(({ text }) => isLike(matches ?? '', text ?? ''));
  const shown = run.artifacts.map((each) => `${each.name} (${(each.files ?? []).map(({ path }) => path).join(', ')})`);
  return {
    holds,
    expected: `an artifact ${name}${file === undefined ? '' : ` with ${file}`}`,
    found: shown.join('; ') || 'none',
  };
}

function logged({ of, matches, absent }: Of<'log'>, run: ActRun): Finding {
  const lines = legsOf(of, run).flatMap(({ steps }) => steps.flatMap((step) => step.lines));
  const found = lines.find((line) => isLike(matches, line));
  const expected = `${absent ? 'no line' : 'a line'} like /${matches}/ from ${roleText(of)}`;
  return { holds: (found === undefined) === absent, expected, found: found ?? `none of ${lines.length} lines` };
}

function masked({ secret }: Of<'masked'>, run: ActRun): Finding {
  const value = run.secrets[secret] ?? '';
  // In parts, too: on lines that follow one another.
  const printed = run.log.legs.flatMap(({ steps }) => steps.map(({ lines }) => lines.join('')));
  const holds = value !== '' && ![run.text, ...printed].some((text) => text.includes(value));
  return {
    holds,
    expected: `the value of ${secret} nowhere in the log`,
    found: holds ? 'not there' : 'it was printed',
  };
}

/** What the recorder keeps of a run: `MOST_TOOL_RUNS` of run_act.py. */
const MOST_TOOL_RUNS = 2000;

function ran(asserted: Of<'ran'>, run: ActRun): Finding {
  return asserted.absent ? notRan(asserted, run) : didRun(asserted, run);
}

/** Of all that the recorder was told: a number that was not printed, or a tool that another one ran, is no way around it. */
function notRan({ of, command, cwd, exit }: Of<'ran'>, run: ActRun): Finding {
  const meant = of && legsOf(of, run);
  const others = new Set(meant && run.log.legs.filter((leg) => !meant.includes(leg)).flatMap(toolNumbers));
  const found = run.tools.filter(
    (each, index) =>
      !others.has(index + 1) &&
      isLike(command, commandLine(each)) &&
      (cwd === undefined || each.cwd === cwd) &&
      (exit === undefined || each.exit === exit),
  );
  const isFull = run.tools.length >= MOST_TOOL_RUNS;
  const shown = isFull ? `${MOST_TOOL_RUNS} tools were run, and more are not recorded` : 'nothing like it';
  return {
    holds: found.length === 0 && !isFull,
    expected: `nothing like /${command}/ run`,
    found: found.map(commandLine).join('; ') || shown,
  };
}

function didRun({ of, command, cwd, exit }: Of<'ran'>, run: ActRun): Finding {
  const numbers = of === undefined ? null : new Set(legsOf(of, run).flatMap(toolNumbers));
  const asked = agreed(run).filter(({ number }) => numbers === null || numbers.has(number));
  const found = asked.filter(({ run: each }) => isLike(command, commandLine(each)));
  const fits = ({ run: each }: { run: ToolRun }): boolean =>
    (cwd === undefined || each.cwd === cwd) && (exit === undefined || each.exit === exit);
  const expected = `something like /${command}/ run`;
  const shown = asked.map(({ run: each }) => `${commandLine(each)} (${each.cwd}, exit ${each.exit ?? 'unknown'})`);
  return { holds: found.some(fits), expected, found: shown.join('; ') || 'no tool was run' };
}
