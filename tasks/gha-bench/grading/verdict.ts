import type { Verdict } from '../../../src/contract/verdict.js';
import type { GhaTask } from '../dataset/task-schema.js';
import type { Scorecard } from '../lint/scorecard.js';
import { securityScore } from '../lint/security-score.js';
import type { FeaturesReport } from '../semantics/grade-features.js';
import type { LintFinding } from '../lint/tool-findings.js';
import type { ToolReport } from '../lint/tool-report.js';
import type { RunsReport } from '../runs/judge-runs.js';
import type { SyntaxReport } from '../syntax/syntax-report.js';

/** What the layers found; null for what was not executed. */
export interface Layers {
  refusal: string | null;
  files: number;
  waivers: GhaTask['spec']['waivers'];
  syntax: SyntaxReport;
  scorecard: Scorecard | null;
  features: FeaturesReport | null;
  runs: RunsReport | null;
  /** Checks of the requirements that every prompt states: what systems with different prompts can be compared on. */
  core: readonly string[];
  /** Of actionlint, zizmor (in both profiles) and shellcheck. */
  tools: ToolReport | null;
}

/** A trial passes where every layer that was executed found nothing. What was not executed is null, never a zero or a pass. */
export function verdictOf(layers: Layers): Verdict {
  const { refusal, files, syntax, scorecard, tools, features, runs } = layers;
  const isValid = syntax.problems.length === 0;
  const lintRules = isValid ? refusedByLint(layers) : [];
  const reasons = [
    ...(refusal !== null || files === 0 ? ['format'] : []),
    ...new Set(syntax.problems.map(({ rule }) => `syntax.${rule}`)),
    ...new Set(lintRules.map((rule) => `lint.${rule}`)),
    ...(isValid && features?.checks.some(({ holds }) => !holds) ? ['features'] : []),
    ...(runs === null ? [] : runReasons(runs)),
  ];
  return {
    passed: reasons.length === 0,
    reasons,
    metrics: {
      syntax: Number(isValid),
      // A finding is enough to fail; only tools that ran can say that there is none.
      lint: lintRules.length > 0 ? 0 : tools === null ? null : 1,
      ...{ features: shareOf(features?.checks ?? []), runs: shareOf((runs?.assertions ?? []).map(held)) },
      core: coreOf(layers, isValid),
      security: scoreOf(tools, 'findings'),
      securityStrict: scoreOf(tools, 'strict'),
      tokenPermissions: scorecard?.tokenPermissions.score ?? null,
      pinnedDependencies: scorecard?.pinnedDependencies.score ?? null,
      dangerousWorkflow: scorecard?.dangerousWorkflow.score ?? null,
      featuresRecall: features?.scores.recall ?? null,
      featuresPrecision: features?.scores.precision ?? null,
      featuresF1: features?.scores.f1 ?? null,
    },
  };
}

/** Kinds of actionlint that speak of its own age: a label or action it does not know. */
const NOT_COUNTED = ['runner-label', 'action'];

function refusedByLint({ scorecard, tools, waivers }: Layers): string[] {
  const dangerous = scorecard?.dangerousWorkflow.score === 0 && !isWaived(waivers, 'scorecard', 'dangerous-workflow');
  return [
    ...(dangerous ? ['dangerous-workflow'] : []),
    ...((tools?.limits.length ?? 0) > 0 ? ['limit'] : []),
    ...decisive(tools?.findings ?? [], waivers).map(({ tool }) => tool),
  ];
}

/** Findings that fail a candidate: what actionlint says beyond its own age, and what zizmor calls severe, but for what the task waives. */
export function decisive(findings: readonly LintFinding[], waivers: Layers['waivers']): LintFinding[] {
  return findings
    .filter(({ tool, rule }) => !isWaived(waivers, tool, rule))
    .filter(({ tool, rule, severity }) =>
      tool === 'actionlint' ? !NOT_COUNTED.includes(rule) : tool === 'zizmor' && severity === 'high',
    );
}

const isWaived = (waivers: Layers['waivers'], tool: string, rule: string): boolean =>
  waivers.some((waiver) => waiver.tool === tool && waiver.rule === rule);

/** Null where zizmor did not come to its end. */
function scoreOf(tools: ToolReport | null, profile: 'findings' | 'strict'): number | null {
  return tools === null || tools.limits.length > 0 ? null : round(securityScore(zizmor(tools[profile])));
}

const zizmor = (findings: readonly LintFinding[]): LintFinding[] => findings.filter(({ tool }) => tool === 'zizmor');
const round = (value: number): number => Math.round(value * 100) / 100;

/** What cannot be run proves nothing: it fails, by a reason of its own. */
function runReasons({ assertions }: RunsReport): string[] {
  const [unsupported, failed] = (['unsupported', 'failed'] as const).map((kind) =>
    assertions.some(({ verdict }) => verdict === kind),
  );
  return [...(failed ? ['runs'] : []), ...(unsupported ? ['runs.unsupported'] : [])];
}

const held = ({ verdict }: RunsReport['assertions'][number]): { holds: boolean } => ({ holds: verdict === 'passed' });

/** Of the checks that every prompt states, those that hold; none does of files that GitHub refuses. Null where none was looked at. */
function coreOf({ core, features, runs }: Layers, isValid: boolean): number | null {
  if (!isValid) return core.length === 0 ? null : 0;
  const judged = [
    ...(features?.checks ?? []),
    ...(runs?.assertions ?? []).map((assertion) => ({ id: assertion.id, ...held(assertion) })),
  ];
  return shareOf(judged.filter(({ id }) => core.includes(id)));
}

/** Of the stated checks, those that hold. */
function shareOf(checks: readonly { holds: boolean }[]): number | null {
  return checks.length === 0 ? null : checks.filter(({ holds }) => holds).length / checks.length;
}
