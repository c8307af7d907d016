import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/ports/model.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { judgePlaces, readPlaces } from './judge-places.js';

const SUITE = fileURLToPath(new URL('..', import.meta.url));
const unit = (...values: number[]) => Float32Array.from(values);
const LEAVES = [unit(1, 0, 0), unit(0, 1, 0), unit(0, 0, 1)];
const NAMES = ['Cookies', 'Proxies', 'Redirects'];
const PLACED = {
  texts: ['jar of cookies', 'proxy from the environment', 'a recipe for soup'],
  vectors: [unit(0.9, 0.1, -0.1), unit(0.1, 0.9, -0.2), unit(0.3, 0.2, 0.1)],
  ...{ names: NAMES, leaves: LEAVES, assigned: [0, 2, 0], evidence: 'plan-coverage.json' },
};

/** The part of a context that judging uses, over a judge that answers each line by what it says. */
function context(answer: (line: string) => string, judge: object = { coverage: { model: 'm' } }) {
  const asked: Question[] = [];
  const ask = (question: Question) => {
    asked.push(question);
    const lines = (question.messages.at(-1)?.content as string).split('\n').filter((line) => /^\d+\. /.test(line));
    return Promise.resolve({ text: lines.map(answer).join('\n'), finishReason: 'stop' });
  };
  const parts = { campaign: { id: 'c', spec: { judge } }, suiteFolder: SUITE, ask, heartbeat: () => undefined };
  return { context: parts as unknown as StageContext, asked };
}

const number = (line: string): string => /^\d+/.exec(line)?.[0] ?? '';
/** Knows the truth: where each text belongs. */
const knowing = (line: string): string => {
  const meant = line.includes('cookies') ? 'L1' : line.includes('proxy') ? 'L2' : 'NONE';
  return `${number(line)}: ${line.split('-> ')[1]?.startsWith(meant) ? 'YES' : meant}`;
};

describe('judgePlaces', () => {
  it('moves what was put wrongly, and is believed when it sees what is wrong on purpose', async () => {
    const { context: own, asked } = context(knowing);
    const judged = await judgePlaces(own, PLACED);
    expect(judged).toEqual({
      ...{ assigned: [0, 1, null], answered: [0, 1, 2], trusted: true },
      controls: { asked: 2, agreed: 0, unread: 0 },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.messages.map(({ content }) => content).join()).toContain('L3 Redirects');
  });

  it('says which features it was told a place of: the others stay where they were, and are nobody’s agreement', async () => {
    const silent = (line: string) => (line.includes('soup') ? '' : knowing(line));
    expect(await judgePlaces(context(silent).context, PLACED)).toMatchObject({
      ...{ assigned: [0, 1, 0], answered: [0, 1], trusted: true },
    });
  });

  it('does not believe one that says YES to everything, and leaves features where they were', async () => {
    const judged = await judgePlaces(context((line) => `${number(line)}: YES`).context, PLACED);
    expect(judged).toMatchObject({ assigned: [0, 2, 0], trusted: false, controls: { asked: 2, agreed: 2 } });
  });

  it('does not believe one that nobody can read, or that moves everything to a leaf that is none', async () => {
    const silent = await judgePlaces(context(() => 'Certainly!').context, PLACED);
    expect(silent).toMatchObject({ assigned: [0, 2, 0], trusted: false, controls: { asked: 0, unread: 1 } });
    const lost = await judgePlaces(context((line) => `${number(line)}: L99`).context, PLACED);
    expect(lost).toMatchObject({ trusted: false });
  });

  it('asks nobody where the campaign names no judge of coverage', async () => {
    const { context: own, asked } = context(knowing, {});
    expect(await judgePlaces(own, PLACED)).toBeNull();
    expect(asked).toEqual([]);
  });
});

it('reads a line a feature in many styles, and nothing of what was not asked', () => {
  expect(readPlaces('1: YES\n**2.** l3\n3) NONE\n9: YES\n4 - L7', 4, 5)).toEqual(
    new Map<number, 'yes' | number | null>([
      [1, 'yes'],
      [2, 2],
      [3, null],
    ]),
  );
  expect(readPlaces('1: YES', 3, 5)).toBeNull();
});
