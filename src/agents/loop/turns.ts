import type { JsonObject } from '../../contract/json.js';
import type { WorkspaceRef } from '../../contract/sandbox-result.js';

/** What a model asked for in one turn. */
export interface Action {
  /** Name of a tool. */
  tool: string;
  input: JsonObject;
  /** Id of the call that asked for it, which its observation answers; null where a block of the text did. */
  callId: string | null;
}

/** What a model said in a turn, as it is told so again later. */
export interface Said {
  text: string;
  action: Action | null;
}

/** A turn as it is kept: a blob, which names the one before it. The last one's hash so stands for the whole conversation. */
export interface TurnRecord {
  turn: number;
  /** sha-256 of the record before; null for the first. */
  previous: string | null;
  said: Said;
  /** What the model is told of it. */
  observation: string;
  /** What its tool kept for graders. */
  kept?: JsonObject;
}

/**
 * Result of a step `think/N`: an action to be carried out, whose blob is `thought`; an answer without one, which ends its turn
 * (`history` is its record); or why no further turn can be.
 */
export type Thought = { thought: string; tool: string } | { history: string } | { ends: AgentStop };

/** Result of a step `act/N`. */
export interface Acted {
  /** sha-256 of the turn's record. */
  history: string;
  workspace: WorkspaceRef | null;
  /** How long the action took, as the sandbox measured it. */
  seconds: number;
  /** The tool was one that ends the work. */
  isLast: boolean;
}

/** Why an agent's work has ended before it said so: a limit, a conversation too long for its model, or a provider that refused. */
export type AgentStop = 'turns' | 'seconds' | 'money' | 'context' | 'refused';

/** How far an agent has come. */
export interface AgentState {
  turns: number;
  /** sha-256 of the last turn's record; null before the first. */
  history: string | null;
  workspace: WorkspaceRef | null;
  /** Sum of the recorded seconds of its actions. */
  seconds: number;
}

/** How an agent's work ended, with what it left. */
export type AgentEnd = AgentState & { because: 'submitted' | AgentStop };

/** What an agent may use; money is a limit of the system, in the ledger. */
export interface AgentLimits {
  turns: number;
  /** Of its actions together, as recorded: never a clock, which would run on through a crash. */
  seconds: number;
}
