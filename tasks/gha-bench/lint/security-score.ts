import type { LintFinding } from './tool-findings.js';

const WEIGHT = { high: 2.5, medium: 1.25, low: 0.4, info: 0.1 } as const;
const SURE = { high: 1, medium: 0.7, low: 0.4 } as const;
/** What one audit may cost, whatever it finds: one habit in ten steps is one habit. */
const MOST = { high: 4, medium: 2, low: 0.8, info: 0.2 } as const;

/**
 * Security from 0 to 10, from zizmor's findings: 10, less what each audit costs by severity and confidence. The map is
 * ours (docs/gha-bench/layers.md); raw findings are kept beside it.
 */
export function securityScore(findings: readonly LintFinding[]): number {
  const audits = new Map<string, { cost: number; most: number }>();
  for (const { rule, severity, confidence } of findings) {
    const { cost, most } = audits.get(rule) ?? { cost: 0, most: 0 };
    audits.set(rule, { cost: cost + WEIGHT[severity] * SURE[confidence], most: Math.max(most, MOST[severity]) });
  }
  const costs = [...audits.values()].map(({ cost, most }) => Math.min(cost, most));
  return Math.max(0, 10 - costs.reduce((sum, cost) => sum + cost, 0));
}
