import type { SandboxLimits } from '../../contract/sandbox-limits.js';
import type { WorkspaceEnd, WorkspaceLoss } from '../../contract/sandbox-result.js';

const MIB = 1024 * 1024;

/** What there is of a workspace. */
export interface WorkspaceSize {
  bytes: number;
  files: number;
  depth: number;
}

/** The first limit that a workspace is beyond; null where it can be kept. */
export function limitPassed(size: WorkspaceSize, limits: Readonly<SandboxLimits>): 'bytes' | 'files' | 'depth' | null {
  if (size.files > limits.workspaceFiles) return 'files';
  if (size.depth > limits.workspaceDepth) return 'depth';
  return size.bytes > limits.workspaceBytes ? 'bytes' : null;
}

/** That what a run left is not kept, in words for whoever runs the command. */
export function lossOf(because: WorkspaceLoss, limits: Readonly<SandboxLimits>): NonNullable<WorkspaceEnd['undone']> {
  return { because, message: `What this command did to the files was undone: ${WHY[because](limits)}.` };
}

const WHY: Record<WorkspaceLoss, (limits: Readonly<SandboxLimits>) => string> = {
  killed: () => 'it was killed',
  processes: () => 'what it left running filled the container, and could not be ended',
  bytes: ({ workspaceBytes }) => `they are larger than ${Math.floor(workspaceBytes / MIB)} MiB together`,
  files: ({ workspaceFiles }) => `there are more than ${workspaceFiles} of them`,
  depth: ({ workspaceDepth }) => `folders are more than ${workspaceDepth} deep`,
  kinds: () => 'there is a device among them',
  names: () => 'a name among them is no UTF-8',
};

/** How many folders are above a path and itself: `a/b` is 2 deep. */
export const depthOf = (path: string): number => path.split('/').length;
