import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import { shortText } from '../../../src/suite-kit/short-text.js';
import { agentStep } from '../generators/agent/agent.js';
import { GENERATORS } from '../generators/generators.js';
import { MOST_SCRIPT_BYTES, staticProblem } from '../generators/made-script.js';
import type { Generated } from '../results.js';
import { loadTask } from './load-task.js';

/** Makes the script of a trial; an agent's steps are its turns. */
export const generate: StageFunction = async (context) => {
  const { generator: name, id } = context.system;
  const generator = GENERATORS[name];
  if (generator === undefined) throw new DomainFailure('harness.bug', `${id}: artisan has no generator ${name}`);
  const task = await loadTask(context);
  const turn = await agentStep(task, context);
  if (turn !== null) return turn;
  const made = await generator.make(task, context);
  const { script, note, label = null, turns = null, submissions = null, revealed = null } = made;
  const { formatted = null, workSeconds = null } = made;
  const refusal = staticProblem(script);
  const kept = refusal === 'static.size' ? script.subarray(0, MOST_SCRIPT_BYTES) : script;
  const { sha256 } = await context.attach(kept, { name: 'repro.sh', mediaType: 'text/plain; charset=utf-8' });
  const result: Generated = {
    ...{ script: sha256, sizeBytes: script.byteLength, refusal, label },
    making: { turns, submissions, revealed, formatted, workSeconds },
    note: note === null ? null : shortText(note, 400),
  };
  return { result };
};
