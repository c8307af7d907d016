import type { Problem } from '../../../src/contract/problem.js';
import type { Blobs } from '../../../src/ports/blobs.js';
import type { StepRow } from '../../../src/ports/records.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import { DETECTORS } from '../semantics/detectors/detectors.js';
import type { FeaturesReport } from '../semantics/grade-features.js';
import type { RunsReport } from '../runs/judge-runs.js';
import { decisive, type Layers } from '../grading/verdict.js';

/** What `score` leaves beside the verdict. */
type Details = Pick<Layers, 'refusal' | 'waivers' | 'syntax' | 'scorecard' | 'tools' | 'features' | 'runs'>;

/** Where a candidate failed: the first layer, the place in the file, what is wrong there. Null where the evidence is gone. */
export async function explain(steps: readonly StepRow[], blobs: Blobs): Promise<Problem | null> {
  const scored = steps.findLast(({ stage }) => stage === 'score');
  const kept = scored?.evidence.find(({ name }) => name === 'layers.json');
  if (kept === undefined || !(await blobs.has(kept.sha256))) return null;
  const { refusal, waivers, syntax, scorecard, tools, features, runs } = await readJsonBlob<Details>(
    blobs,
    kept.sha256,
  );
  if (refusal !== null) return { message: oneLine(`the answer holds no candidate: ${refusal}`), expected: FORM };
  const [first] = syntax.problems;
  if (first !== undefined)
    return {
      message: oneLine(`syntax: ${placed(first)}${first.message}${more(syntax.problems.length)}`),
      expected: 'a file that GitHub takes',
    };
  const danger = scorecard?.dangerousWorkflow.findings ?? [];
  if (danger[0] !== undefined)
    return { message: oneLine(`lint: ${danger[0]}${more(danger.length)}`), expected: 'no code or text of strangers' };
  const [limit] = tools?.limits ?? [];
  if (limit !== undefined) return { message: oneLine(`lint: ${limit}`), expected: 'files that can be looked at' };
  const found = tools === null ? [] : decisive(tools.findings, waivers);
  const [finding] = found;
  if (finding === undefined) return (features && meaningProblem(features)) ?? (runs && runProblem(runs));
  const { tool, rule, message } = finding;
  return {
    message: oneLine(`lint: ${placed(finding)}${tool} ${rule}: ${message}${more(found.length)}`),
    expected: 'files without such findings',
  };
}

function meaningProblem({ checks }: FeaturesReport): Problem | null {
  const failed = checks.filter(({ holds }) => !holds);
  const [check] = failed;
  if (check === undefined) return null;
  const [finding] = check.problems;
  const place = finding?.place === undefined ? '' : placed(finding.place);
  return {
    message: oneLine(`features: check ${check.id}: ${place}${finding?.message ?? ''}${more(failed.length)}`),
    expected:
      (check.feature === undefined ? undefined : DETECTORS.get(check.feature)?.asks) ?? 'what the task asks for',
  };
}

function runProblem({ refused, assertions }: RunsReport): Problem | null {
  const failed = assertions.filter(({ verdict }) => verdict !== 'passed');
  const [first] = failed;
  if (first === undefined) return null;
  const { scenario, event, id, expected, found, verdict } = first;
  const what = verdict === 'unsupported' ? `cannot be run: ${refused[0] ?? found}` : `found ${found}`;
  const where = `${scenario}${event > 0 ? `, event ${event + 1}` : ''}`;
  return { message: oneLine(`runs: ${where}: ${id}: ${what}${more(failed.length)}`).slice(0, LONGEST), expected };
}

/** Of what a candidate may have had a say in. */
const LONGEST = 600;

const FORM = 'files as fenced blocks with their paths, or one JSON object of path and text';

const more = (count: number): string => (count > 1 ? ` (and ${count - 1} more)` : '');

const placed = ({ file, line, column }: { file: string; line: number; column: number }): string =>
  file === '' ? '' : `${file}${line > 0 ? `:${line}:${column}` : ''}: `;

/** A candidate must not add lines that look like ours. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ');
