import { readActLog } from './act-log.js';
import { judgeAssertion, type Judged } from './assertions.js';
import type { ScenarioEvidence } from './run-scenario.js';
import type { Scenario } from './scenario.js';

/** What an assertion of a run came to, with the run it is of. */
interface JudgedRun extends Judged {
  scenario: string;
  /** Number of the event in the scenario, from 0. */
  event: number;
}

/** What the runs of a candidate came to. */
export interface RunsReport {
  /** Why a scenario was not run at all; each with its place. */
  refused: string[];
  assertions: JudgedRun[];
}

/** Judges runs from their evidence alone. `asked`: ids of the assertions that are graded. */
export function judgeRuns(
  runs: readonly { scenario: Scenario; evidence: ScenarioEvidence }[],
  asked: readonly string[],
): RunsReport {
  return {
    refused: [...new Set(runs.flatMap(({ evidence }) => evidence.refused))],
    assertions: runs.flatMap(({ scenario, evidence }) => judgeScenario(scenario, evidence, asked)),
  };
}

function judgeScenario(
  { id: scenario, events }: Scenario,
  { refused, runs }: ScenarioEvidence,
  asked: readonly string[],
): JudgedRun[] {
  return events.flatMap(({ assertions, secrets }, event) => {
    const graded = assertions.filter(({ id }) => asked.includes(id));
    const run = runs[event];
    if (run === undefined)
      return graded.map(({ id }) => {
        return { id, scenario, event, verdict: 'unsupported' as const, expected: 'a run', found: refused.join('; ') };
      });
    const { log, errors, ended, tools, artifacts } = run;
    const read = { log: readActLog(log, errors), ended, tools, artifacts, secrets, text: `${log}\n${errors}` };
    return graded.map((assertion) => ({ ...judgeAssertion(assertion, read), scenario, event }));
  });
}
