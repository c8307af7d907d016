import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { readJsonBlob } from '../../../src/suite-kit/json-blobs.js';
import type { GhaTask } from '../dataset/task-schema.js';
import type { Generated, Harvested } from '../results.js';
import type { ComposedQuestion } from './question.js';

/** Asks the system's model the question that `harvest` composed; the ledger answers a retry from the record. */
export async function promptedAnswer({ id }: GhaTask, context: StageContext): Promise<string> {
  const { question } = context.input as Pick<Harvested, 'question'> & Partial<Generated>;
  if (question === null) throw new DomainFailure('harness.bug', `${context.system.id}: no question was composed`);
  const { id: prompt, messages } = await readJsonBlob<ComposedQuestion>(context.blobs, question);
  const answer = await context.ask({ purpose: 'generate', ordinal: 0, prompt: `${prompt} ${id}`, messages });
  return answer.text;
}
