import type { StageFunction } from '../../../src/suite/stage.js';
import { unpackFiles } from '../../../src/suite-kit/packed-files.js';
import { inChild } from '../grading/in-child.js';
import type { Generated, Localized } from '../results.js';
import { loadTask } from './load-task.js';

/** Which files count, and the first layer as the gate of what follows. */
export const localize: StageFunction = async (context) => {
  const { candidate } = context.input as Pick<Generated, 'candidate'>;
  const [task, files] = await Promise.all([loadTask(context), unpackFiles(context.blobs, candidate)]);
  const { syntax } = await inChild({ files, present: Object.keys(task.repo), pins: null, signal: context.signal });
  const { problems } = syntax;
  await context.attach(JSON.stringify({ problems }, null, 1), { name: 'syntax.json', mediaType: 'application/json' });
  const names = [...files.keys()].slice(0, MOST_NAMED);
  return { result: { files: names, isValid: problems.length === 0, problems: problems.length } satisfies Localized };
};

/** Paths in the history; all of them are in the evidence. */
const MOST_NAMED = 10;
