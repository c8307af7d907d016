import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import { shortText } from '../../../src/suite-kit/short-text.js';
import { agentStep } from '../generators/agent.js';
import { GENERATORS } from '../generators/generators.js';
import type { StaticReason } from '../judge/verdict.js';
import type { Generated } from '../results.js';
import { loadTask } from './load-task.js';

/** Larger scripts hold a table or data. */
const MOST_BYTES = 256 * 1024;

/** Makes the script of a trial; an agent's steps are its turns. */
export const generate: StageFunction = async (context) => {
  const { generator: name, id } = context.system;
  const generator = GENERATORS[name];
  if (generator === undefined) throw new DomainFailure('harness.bug', `${id}: artisan has no generator ${name}`);
  const task = await loadTask(context);
  const turn = await agentStep(task, context);
  if (turn !== null) return turn;
  const { script, note, turns } = await generator.make(task, context);
  const refusal = staticProblem(script);
  const kept = refusal === 'static.size' ? script.subarray(0, MOST_BYTES) : script;
  const { sha256 } = await context.attach(kept, { name: 'repro.sh', mediaType: 'text/plain; charset=utf-8' });
  const result: Generated = {
    ...{ script: sha256, sizeBytes: script.byteLength, refusal, turns: turns ?? null },
    note: note === null ? null : shortText(note, 400),
  };
  return { result };
};

/** Why a script is not run; null where it is. */
function staticProblem(script: Uint8Array): StaticReason | null {
  if (script.byteLength > MOST_BYTES) return 'static.size';
  if (script.includes(0)) return 'static.encoding';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(script);
    return text.trim() === '' ? 'static.empty' : null;
  } catch {
    return 'static.encoding';
  }
}
