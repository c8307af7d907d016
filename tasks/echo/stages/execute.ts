import { setTimeout as sleep } from 'node:timers/promises';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { StageContext, StageFunction } from '../../../src/suite/stage.js';
import { selectionSchema } from '../dataset/selection.js';
import type { Executed } from '../results.js';
import { markedText } from './answer-lines.js';
import { pinnedTask } from './pinned-task.js';

/** Compares the line in full. A suite that runs code does it here, through `context.sandbox`. */
export const execute: StageFunction = async (context) => {
  const { answer, line } = context.input as { answer: string; line: number };
  const { task, index } = pinnedTask(context);
  const { sleepMs, failEvery } = selectionSchema.parse(context.campaign.spec.dataset);
  if (failEvery > 0 && index % failEvery === failEvery - 1) await failOnce(context);
  // Work that takes long ends when its signal says so, and tells that it is alive; `sleep` stands for it here.
  await sleep(sleepMs, undefined, { signal: context.signal });
  const equal = (await markedText(context.blobs, answer, line)) === task.expected;
  const report = JSON.stringify({ equal, line, sleepMs });
  await context.attach(report, { name: 'comparison.json', mediaType: 'application/json' });
  return { result: { equal, sleptMs: sleepMs } satisfies Executed };
};

/** Loses the sandbox the first time this trial gets here, in any worker. */
async function failOnce({ blobs, owner }: StageContext): Promise<void> {
  const key = `echo/failed-once/${owner.id}`;
  if (await blobs.recall(key)) return;
  await blobs.remember(key, await blobs.put('lost once', { name: 'lost.txt', mediaType: 'text/plain' }));
  throw new DomainFailure('sandbox.lost', 'lost on purpose, once (failEvery)');
}
