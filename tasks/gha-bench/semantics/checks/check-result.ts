import { DETECTORS } from '../detectors/detectors.js';
import { when, type Finding } from '../detectors/kit/detector.js';
import { pathsIn } from '../detectors/kit/reads.js';
import { firesProblems, jobResults, scenarioText, selectorText, tableProblems } from '../detectors/kit/runs.js';
import { pipelineProblems } from '../detectors/tier4/pipeline.js';
import { allSteps } from '../model/lookup.js';
import type { Job, Semantics } from '../model/model.js';
import { compilePattern } from '../model/pattern.js';
import { isStep, scriptsOf, selectJobs, selectSteps } from '../model/selector.js';
import { child } from '../nodes/node.js';
import type { Check } from './check.js';

export interface CheckResult {
  id: string;
  /** Of a check about one. */
  feature?: string;
  holds: boolean;
  /** Why it does not, each with its place in the candidate's files where it has one. */
  problems: Finding[];
}

export function checkResult(semantics: Semantics, check: Check): CheckResult {
  const problems = problemsOf(semantics, check).filter((finding) => finding !== undefined);
  const feature = check.kind === 'feature' ? { feature: check.feature } : {};
  return { id: check.id, ...feature, holds: problems.length === 0, problems };
}

function problemsOf(semantics: Semantics, check: Check): (Finding | undefined)[] {
  switch (check.kind) {
    case 'feature':
      return featureProblems(semantics, check);
    case 'absent':
      return (DETECTORS.get(check.absent)?.present(semantics) ?? []).map((place) => {
        return { message: `nothing asks for ${check.absent}`, place };
      });
    case 'triggers':
      return firesProblems(semantics, check.fires, check.silent);
    case 'runs':
      return tableProblems(semantics, check.table, check.target);
    case 'ends':
      return endProblems(semantics, check);
    case 'order':
      return pipelineProblems(semantics, { order: check.order, table: [] });
    case 'role':
      return roleProblems(semantics, check);
    case 'script':
      return scriptProblems(semantics, check);
  }
}

type Of<Kind extends Check['kind']> = Extract<Check, { kind: Kind }>;

function featureProblems(semantics: Semantics, { feature, facts }: Of<'feature'>): Finding[] {
  const detection = DETECTORS.get(feature)?.detect(semantics, facts);
  if (!detection?.present) return [{ message: `${feature} is not used` }];
  return detection.problems;
}

function endProblems(semantics: Semantics, { job, scenario, result, legs }: Of<'ends'>): (Finding | undefined)[] {
  const found = jobResults(semantics, job, scenario);
  const place = found[0]?.job.place;
  const seen = found.map((each) => each.result);
  const count = found.reduce((total, each) => total + each.legs.length, 0);
  const at = `${selectorText(job)} on ${scenarioText(scenario)}`;
  return [
    when(found.length === 0 && result !== 'skipped', `there is no ${at}`),
    ...seen.map((each) => when(each !== result, `${at} ends as ${each}, not ${result}`, place)),
    when(legs !== undefined && count !== legs, `${at} has ${count} legs, not ${legs}`, place),
    ...(result === 'failure' ? selectJobs(semantics, job).map(forgiven) : []),
  ];
}

/** Whose failure counts as a success on some events: act knows nothing of it, so that no other event would show it. */
function forgiven({ id, node }: Job): Finding | undefined {
  const value = child(node, 'continue-on-error');
  const asksMore = pathsIn(value).some(({ path }) => path[0] !== 'matrix');
  return when(asksMore, `what happened decides whether ${id} may fail without the run failing`, value?.place);
}

function roleProblems(semantics: Semantics, { role, least, most }: Of<'role'>): (Finding | undefined)[] {
  const steps = selectSteps(semantics, role);
  const found = steps.length > 0 ? steps : selectJobs(semantics, role);
  const count = `${found.length} times ${selectorText(role)}`;
  return [
    when(found.length < least, `${count}, not at least ${least}`),
    when(found.length > (most ?? Infinity), `${count}, more than ${most}`, found[0]?.place),
  ];
}

function scriptProblems(semantics: Semantics, { of, matches, never }: Of<'script'>): (Finding | undefined)[] {
  const steps = allSteps(semantics).filter(
    (step) => scriptsOf(semantics, step).length > 0 && (of === undefined || isStep(semantics, step, of)),
  );
  const meets = (step: (typeof steps)[number], pattern: string): boolean =>
    scriptsOf(semantics, step).some((form) => compilePattern(pattern).matches(form));
  const forbidden = never === undefined ? [] : steps.filter((step) => meets(step, never));
  const right = matches === undefined || steps.some((step) => meets(step, matches));
  return [
    when(!right, `no script matches ${matches}`, steps[0]?.place),
    ...forbidden.map(({ place }) => when(true, `a script matches ${never}`, place)),
  ];
}
