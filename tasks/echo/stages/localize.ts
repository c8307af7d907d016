import type { StageFunction } from '../../../src/suite/stage.js';
import type { Generated, Localized } from '../results.js';
import { answerLines, MARK } from './answer-lines.js';

/** Finds the line of the answer that claims to be the echo. */
export const localize: StageFunction = async (context) => {
  const { answer } = context.input as Pick<Generated, 'answer'>;
  const lines = await answerLines(context.blobs, answer);
  const line = lines.findIndex((text) => text.startsWith(MARK));
  return { result: { line: line < 0 ? null : line } satisfies Localized };
};
