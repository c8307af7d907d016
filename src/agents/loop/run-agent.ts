import type { Json } from '../../contract/json.js';
import type { StepCall } from '../../contract/trial.js';
import type { Acted, AgentEnd, AgentLimits, AgentState, Thought } from './turns.js';

/** What the loop needs of the stages of a trial or generation. */
interface AgentStages {
  generate<Result>(call: StepCall): Promise<Result>;
  pass(): Promise<void>;
}

/**
 * An agent's work, turn by turn: a thought (step `think/N`), then its action (`act/N`), until it says that it has done or a
 * limit is reached. Each step is recorded: killed anywhere, at most the one under way is done again.
 */
export async function runAgent(stages: AgentStages, limits: AgentLimits): Promise<AgentEnd> {
  let at: AgentState = { turns: 0, history: null, workspace: null, seconds: 0 };
  for (;;) {
    if (at.turns >= limits.turns) return { ...at, because: 'turns' };
    if (at.seconds >= limits.seconds) return { ...at, because: 'seconds' };
    await stages.pass();
    const turn = at.turns + 1;
    const thought = await stages.generate<Thought>({
      step: `think/${turn}`,
      input: { turn, history: at.history },
      summary: `turn ${turn}: think`,
    });
    if ('ends' in thought) return { ...at, because: thought.ends };
    if ('history' in thought) {
      at = { ...at, turns: turn, history: thought.history };
      continue;
    }
    const acted = await stages.generate<Acted>({
      step: `act/${turn}`,
      input: { turn, history: at.history, thought: thought.thought, workspace: at.workspace as unknown as Json },
      summary: `turn ${turn}: ${thought.tool}`,
    });
    const { history, workspace, seconds, isLast } = acted;
    // Of floating sums the last digits would depend on their order.
    at = { turns: turn, history, workspace, seconds: Math.round((at.seconds + seconds) * 1000) / 1000 };
    if (isLast) return { ...at, because: 'submitted' };
  }
}
