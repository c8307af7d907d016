import { z } from 'zod';

/** Something that happens to a repository. What is left out is what is usual for the event. */
export const probeSchema = z.strictObject({
  event: z.string(),
  /** Pushed to, or of the run of `workflow_run`; the head of a pull request. */
  branch: z.string().optional(),
  tag: z.string().optional(),
  /** A pull request's target. */
  base: z.string().optional(),
  /** Activity type. */
  action: z.string().optional(),
  /** Changed files. Without it: one file that no filter names. */
  files: z.array(z.string()).optional(),
  /** Of the change: from 1,001 on GitHub runs every workflow whatever its paths. */
  commits: z.number().int().optional(),
  fork: z.boolean().optional(),
  /** Of `workflow_dispatch` and `workflow_call`. */
  inputs: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  /** The workflow whose run `workflow_run` is about, and how that run ended. */
  workflow: z.string().optional(),
  conclusion: z.string().optional(),
  cron: z.string().optional(),
  actor: z.string().optional(),
  /** Merged into `github.event`; of `repository_dispatch`: the client payload. */
  payload: z.record(z.string(), z.unknown()).optional(),
});

export type Probe = z.infer<typeof probeSchema>;

/** Events that run the default branch's file whatever branch they are about. */
export const ON_DEFAULT_BRANCH = ['schedule', 'repository_dispatch', 'workflow_run'];

const ACTIONS: Record<string, string> = {
  pull_request: 'opened',
  pull_request_target: 'opened',
  workflow_run: 'completed',
  release: 'published',
  issues: 'opened',
  issue_comment: 'created',
};

export function actionOf(probe: Probe): string | undefined {
  return probe.action ?? ACTIONS[probe.event];
}

export function isPullRequest({ event }: Probe): boolean {
  return event === 'pull_request' || event === 'pull_request_target';
}

/** As one line, for evidence. */
export function probeText(probe: Probe): string {
  const details = Object.entries(probe).filter(([key]) => key !== 'event');
  const written = details.map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [probe.event, ...written].join(', ');
}
