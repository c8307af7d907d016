import { z } from 'zod';
import { actionlintFindings, zizmorFindings, type LintFinding } from './tool-findings.js';

const run = z.looseObject({
  end: z.enum(['done', 'limit', 'failed']),
  status: z.int(),
  seconds: z.number(),
  errors: z.string(),
  findings: z.unknown(),
  /** Files it was given and could not read. */
  unread: z.array(z.string()).default([]),
});

/** What `python/run_linters.py` prints: every tool's own findings, how it ended, and its version. Kept as evidence. */
export const lintEvidenceSchema = z.strictObject({
  versions: z.strictObject({ actionlint: z.string(), zizmor: z.string(), shellcheck: z.string() }),
  tools: z.strictObject({ actionlint: run, 'zizmor-strict': run, 'zizmor-baseline': run }),
});

export type LintEvidence = z.infer<typeof lintEvidenceSchema>;

/** How a look at a candidate ended: what the tools said, or which limit its files used up. */
export type LintEnd = { evidence: LintEvidence } | { limit: string };

/** What the tools found, read from their evidence. */
export interface ToolReport {
  versions: LintEvidence['versions'] | null;
  /** Of actionlint, shellcheck, and zizmor in the profile that decides. */
  findings: LintFinding[];
  /** Of zizmor in its own profile. */
  strict: LintFinding[];
  /** Limits that the files used up, a sentence each. */
  limits: string[];
}

/** Pure: read again, it says what today's rules make of what the tools said then. @throws ZodError where it is something else */
export function toolReport(end: LintEnd): ToolReport {
  if ('limit' in end) return { versions: null, findings: [], strict: [], limits: [end.limit] };
  const { versions, tools } = lintEvidenceSchema.parse(end.evidence);
  const limited = Object.entries(tools).filter(([, { end: how }]) => how === 'limit');
  return {
    versions,
    findings: [...actionlintFindings(tools.actionlint.findings), ...zizmorFindings(tools['zizmor-baseline'].findings)],
    strict: zizmorFindings(tools['zizmor-strict'].findings),
    limits: limited.map(([tool]) => `${tool} used up its limits`),
  };
}
