import type { VoteRecord } from '../../../src/ports/records.js';
import type { StageFunction } from '../../../src/suite/stage.js';
import type { Voted } from '../results.js';
import { markedText } from './answer-lines.js';
import { pinnedTask } from './pinned-task.js';

type Judgement = (said: string, expected: string) => boolean;

/** Three rules instead of three models; each looks at another side of the line. */
const VOTERS: readonly [name: string, agrees: Judgement][] = [
  ['length', (said, expected) => said.length === expected.length],
  ['letters', (said, expected) => sorted(said) === sorted(expected)],
  ['ends', (said, expected) => said.at(0) === expected.at(0) && said.at(-1) === expected.at(-1)],
];

/** Two of three voters decide whether the line is worth comparing. */
export const vote: StageFunction = async (context) => {
  const { answer, line } = context.input as { answer: string; line: number };
  const said = await markedText(context.blobs, answer, line);
  const { expected } = pinnedTask(context).task;
  const votes = VOTERS.map(([name, agrees], voter): VoteRecord => {
    const isYes = agrees(said, expected);
    return { match: 1, round: 1, voter: voter + 1, model: `rule:${name}`, answer: isYes ? 'yes' : 'no', reason: name };
  });
  const yes = votes.filter((record) => record.answer === 'yes').length;
  return { result: { accepted: yes >= 2, yes } satisfies Voted, votes };
};

function sorted(text: string): string {
  return [...text].sort().join('');
}
