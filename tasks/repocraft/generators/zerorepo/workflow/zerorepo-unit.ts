import type { Json } from '../../../../../src/contract/json.js';
import {
  unitStep,
  type Repaired,
  type Tried,
  type UnitEnd,
  type UnitStatus,
  type Written,
  type ZeroRepoSettings,
} from '../graph/steps.js';
import { withFailureMapping } from '../../../../../workflows/kit/failure-of.js';
import {
  generationStep,
  type OwnWorkflowInput,
  type OwnWorkflowResult,
} from '../../../../../workflows/kit/own-workflow.js';

/** One unit, or a few of one file that are written in one prompt. */
export interface UnitInput extends OwnWorkflowInput {
  graph: string;
  units: [id: string, fingerprint: string, isBlocked: boolean][];
}

/** How each unit ended. */
export type UnitResult =
  { ended: 'done'; units: Record<string, UnitStatus> } | Exclude<OwnWorkflowResult, { ended: 'made' }>;

/** Most fixes of tests or environment of one unit. */
const MOST_TEST_FIXES = 20;

/** Tests from the docstring, code, run, repair; only what passes is accepted. */
export async function zerorepoUnit(input: UnitInput): Promise<UnitResult> {
  return withFailureMapping(async () => {
    const ends: Record<string, UnitStatus> = {};
    const free = input.units.filter(([, , isBlocked]) => !isBlocked).map(([id, fingerprint]) => [id, fingerprint]);
    for (const [id, fingerprint, isBlocked] of input.units) {
      if (isBlocked) ends[id] = await close(input, [id, fingerprint], { status: 'blocked', tried: null, rounds: 0 });
    }
    if (free.length > 0) Object.assign(ends, await write(input, free as Unit[]));
    return { ended: 'done', units: ends };
  });
}

type Unit = [id: string, fingerprint: string];

/** Writes and tries all together; each that does not pass goes on alone. */
async function write(input: UnitInput, units: Unit[]): Promise<Record<string, UnitStatus>> {
  const { graph } = input;
  const name = nameOf(units);
  const about = { graph, units };
  const tests = await step<Written>(input, `write/tests/${name}`, about, 'tests from the docstring');
  const code = await step<Written>(input, `write/code/${name}`, { ...about, tests: tests.blob }, 'code');
  const tried = await step<Tried>(
    input,
    `try/first/${name}`,
    { ...about, tests: tests.blob, code: code.blob },
    'run the tests',
  );
  const ends: Record<string, UnitStatus> = {};
  for (const [index, unit] of units.entries()) {
    const first = { tests: tests.blob, code: code.blob, tried: tried.report };
    ends[unit[0]] = tried.passed[index]
      ? await close(input, unit, { status: 'done', tried: tried.report, rounds: 0 })
      : await repair(input, unit, first);
  }
  return ends;
}

/** Whose fault, then repair and run again, up to the limits. */
async function repair(
  input: UnitInput,
  unit: Unit,
  first: { tests: string | null; code: string | null; tried: string },
): Promise<UnitStatus> {
  const { graph } = input;
  const { repairs } = input.settings as unknown as ZeroRepoSettings;
  const name = nameOf([unit]);
  let { tests, code, tried } = first;
  let [codeFixes, testFixes, round] = [0, 0, 0];
  while (codeFixes < repairs && testFixes < MOST_TEST_FIXES) {
    round += 1;
    const about = { graph, unit, tests, code, tried, round };
    const repaired = await step<Repaired>(input, `repair/${name}/${round}`, about, `repair ${round}`);
    if (repaired.cause === 'test' || repaired.cause === 'environment') testFixes += 1;
    else codeFixes += 1;
    if (repaired.cause === null) continue;
    ({ tests, code } = repaired);
    const trial = { graph, units: [unit], tests, code };
    const again = await step<Tried>(input, `try/${name}/${round}`, trial, 'run the tests again');
    tried = again.report;
    if (again.passed[0]) return close(input, unit, { status: 'done', tried, rounds: round });
  }
  return close(input, unit, { status: 'failed', tried, rounds: round });
}

async function close(
  input: UnitInput,
  unit: Unit,
  end: { status: UnitStatus; tried: string | null; rounds: number },
): Promise<UnitStatus> {
  const about = { unit, ...end };
  const { status } = await step<UnitEnd>(input, unitStep(...unit), about, end.status);
  return status;
}

const nameOf = (units: Unit[]): string => units.map(([id, fingerprint]) => `${id}@${fingerprint}`).join('+');

function step<Result>(input: UnitInput, name: string, about: Json, summary: string): Promise<Result> {
  return generationStep<Result>(input, { step: name, input: about, summary });
}
