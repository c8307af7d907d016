import { z } from 'zod';
import type { JsonObject } from '../contract/json.js';
import type { SandboxResult, WorkspaceRef } from '../contract/sandbox-result.js';
import type { ModelMessage } from '../ports/model.js';
import type { SandboxRun } from '../ports/sandbox.js';
import type { StageContext } from '../suite/stage.js';
import { storableText } from '../domain/text/storable.js';
import { BASH } from './loop/read-action.js';
import type { TurnRecord } from './loop/turns.js';

/** What a tool did. */
export interface ToolEnd {
  /** What the model is told; cut where it is long. */
  observation: string;
  workspace: WorkspaceRef | null;
  /** As measured; 0 for what takes none. */
  seconds: number;
  /** What of it is for graders: part of the turn's record, never told to the model. */
  kept?: JsonObject;
  /** Whether it ends the work; as the tool says where it is left out. */
  isLast?: boolean;
}

/** Where an agent is when it acts. */
export interface ToolPlace {
  turn: number;
  workspace: WorkspaceRef | null;
  /** The records of the turns before, oldest first. */
  earlier: () => Promise<TurnRecord[]>;
}

/** Something an agent can do in a turn. */
export interface AgentTool<Input = unknown> {
  name: string;
  /** For the model. */
  description: string;
  /** Of its arguments; what does not fit costs the model its turn, and it is told why. */
  input: z.ZodType<Input>;
  /** It ends the work. */
  isLast?: boolean;
  run(context: StageContext, input: Input, at: ToolPlace): Promise<ToolEnd>;
}

/** An agent as one suite means it: what it is told at first, and what it can do. */
export interface Agent {
  prompt: { id: string; messages: readonly ModelMessage[] };
  tools: readonly AgentTool[];
}

/** The tools in the words of the API. */
export const toolDefinitions = (tools: readonly AgentTool[]): JsonObject[] =>
  tools.map(({ name, description, input }) => ({
    type: 'function',
    function: { name, description, parameters: z.toJSONSchema(input, { io: 'input' }) as JsonObject },
  }));

/** Ended from inside shortly before the wall limit would end the container, and undo the turn. */
const GRACE_SECONDS = 10;

/**
 * Runs commands of bash in the workspace.
 * @param seconds that one may take; told to end then, and what it left is kept
 */
export function bashTool({
  seconds,
  ...run
}: Pick<SandboxRun, 'image' | 'env'> & {
  mounts?: SandboxRun['mounts'];
  limits?: SandboxRun['limits'];
  seconds: number;
}): AgentTool<{ command: string }> {
  return {
    name: BASH,
    description: `Runs a command in bash, in a folder that stays between turns. At most ${seconds} s; processes, environment and /tmp end with it.`,
    input: z.strictObject({ command: z.string().trim().min(1) }),
    async run(context, { command }, { workspace }) {
      const result = await context.sandbox.run({
        mounts: [],
        ...run,
        command: [
          'timeout',
          '-k',
          '5',
          String(seconds),
          'bash',
          '-c',
          'exec 2>&1; eval "$1"',
          'turn',
          storableText(command),
        ],
        limits: { ...run.limits, wallSeconds: seconds + GRACE_SECONDS },
        workspace: { from: workspace },
        poolKey: context.owner.id,
        owner: { campaignId: context.campaign.id, ownerId: context.owner.id },
        signal: context.signal,
        onProgress: () => context.heartbeat(),
      });
      return {
        observation: observationOf(result, seconds),
        workspace: result.workspace?.ref ?? null,
        seconds: result.wallSeconds,
      };
    },
  };
}

/** As the model is told: without times, so that the same commands are told alike. */
function observationOf({ exitCode, timedOut, outOfMemory, stdout, workspace }: SandboxResult, seconds: number): string {
  const end =
    exitCode === 124 || timedOut
      ? `ended after ${seconds} s`
      : outOfMemory
        ? 'ended: out of memory'
        : `exit status ${exitCode ?? 'unknown'}`;
  const undone = workspace?.undone ?? null;
  return [`[${end}]`, ...(undone === null ? [] : [`[${undone.message}]`]), stdout.bytes.toString('utf8')].join('\n');
}
