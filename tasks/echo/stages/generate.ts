import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { CandidateRef } from '../../../src/contract/candidate.js';
import type { StageContext, StageFunction } from '../../../src/suite/stage.js';
import { echoTasks } from '../dataset/echo-task.js';
import { selectionSchema } from '../dataset/selection.js';
import { GENERATORS } from '../generators/generators.js';
import type { Generated } from '../results.js';
import { pinnedTask } from './pinned-task.js';

/** One answer for a trial, all answers of a group for a shared candidate. */
export const generate: StageFunction = async (context) => {
  if (context.owner.kind === 'generation') return { result: await shareAnswers(context) };
  const { task } = pinnedTask(context);
  const text = context.candidate ? await sharedAnswer(context, task.id) : await ownAnswer(context);
  const answer = await context.attach(text, { name: 'answer.txt', mediaType: 'text/plain; charset=utf-8' });
  return { result: { answer: answer.sha256, sizeBytes: answer.sizeBytes } satisfies Generated };
};

async function ownAnswer(context: StageContext): Promise<string> {
  return generatorOf(context).answer(pinnedTask(context).task, context);
}

async function shareAnswers(context: StageContext): Promise<CandidateJson> {
  const { tasks: count } = selectionSchema.parse(context.campaign.spec.dataset);
  const answers: Record<string, string> = {};
  for (const task of echoTasks(count).filter(({ group }) => group === context.scope)) {
    context.signal.throwIfAborted();
    context.heartbeat();
    answers[task.id] = await generatorOf(context).answer(task, context);
  }
  const label = { name: 'answers.json', mediaType: 'application/json' };
  const { sha256, sizeBytes } = await context.attach(JSON.stringify(answers), label);
  return { sha256, sizeBytes, files: 1, provenance: 'generated' };
}

async function sharedAnswer({ blobs, candidate }: StageContext, taskId: string): Promise<string> {
  const answers = JSON.parse((await blobs.get(candidate?.sha256 ?? '')).toString('utf8')) as Record<string, string>;
  return answers[taskId] ?? '';
}

function generatorOf({ system }: StageContext): (typeof GENERATORS)[string] {
  const generator = GENERATORS[system.generator];
  if (!generator) throw new DomainFailure('harness.bug', `echo has no generator ${system.generator}`);
  return generator;
}

type CandidateJson = { [Key in keyof CandidateRef]: CandidateRef[Key] };
