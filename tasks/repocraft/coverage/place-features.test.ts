import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/ports/model.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { placeFeatures } from './place-features.js';

const SUITE = fileURLToPath(new URL('..', import.meta.url));
const at = (degrees: number) =>
  Float32Array.of(Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180));
const NAMES = ['Cookies', 'Proxies'];
const LEAVES = [at(0), at(90)];
// The last but one is nearest to the second leaf, and nearer still to what lies outside.
const FEATURES = {
  texts: ['a jar', 'a cookie', 'a far thing', 'a strange thing', 'a thing between', 'a proxy'],
  vectors: [at(10), at(20), at(200), at(210), at(150), at(80)],
  evidence: 'code-coverage.json',
};

/** What placing uses of a context, over a judge that says of each text where it belongs; without one it is not asked. */
function context(belongs?: Readonly<Record<string, string>>) {
  const kept: Record<string, string> = {};
  const answer = (line: string): string => {
    const [, number = '', text = '', place = ''] = /^(\d+)\. (.*) -> (\S+)/.exec(line) ?? [];
    const meant = belongs?.[text];
    return meant === undefined ? '' : `${number}: ${meant === place ? 'YES' : meant}`;
  };
  const parts = {
    campaign: { id: 'c', spec: { judge: belongs === undefined ? {} : { coverage: { model: 'm' } } } },
    embedder: { id: 'angles', embed: () => Promise.resolve(LEAVES) },
    ask: ({ messages }: Question) => {
      const lines = (messages.at(-1)?.content as string).split('\n').filter((line) => /^\d+\. /.test(line));
      return Promise.resolve({ text: lines.map(answer).join('\n'), finishReason: 'stop' });
    },
    attach: (text: string, { name }: { name: string }) => Promise.resolve((kept[name] = text)),
    ...{ suiteFolder: SUITE, heartbeat: () => undefined },
  };
  return { context: parts as unknown as StageContext, kept };
}

const TRUTH = { 'a jar': 'L1', 'a cookie': 'L1', 'a far thing': 'NONE', 'a strange thing': 'NONE', 'a proxy': 'L2' };

describe('placing features', () => {
  it('tells how far the nearest leaf and the clusters agree', async () => {
    const { nearest, others } = await placeFeatures(context().context, NAMES, FEATURES);
    expect(nearest).toEqual([0, 0, null, null, 1, 1]);
    expect(others).toMatchObject({ clusters: { planned: 2, outside: 3, agreement: 5 / 6 } });
    // Five of six alike; by chance (2·2 + 2·3 + 2·1) of 36.
    expect(others.clusters?.kappa).toBeCloseTo((30 - 12) / (36 - 12), 12);
    expect(others.judged).toBeUndefined();
  });

  it('tells how far the places of a judge agree with those of either, over the features that it gave a place', async () => {
    const { context: own, kept } = context({ ...TRUTH, 'a thing between': 'L2' });
    const { others } = await placeFeatures(own, NAMES, FEATURES);
    expect(others.judged).toMatchObject({
      ...{ planned: 2, outside: 2, moved: 1, trusted: true, answered: 6 },
      ...{ asNearest: { agreed: 6, kappa: 1 }, asClusters: { agreed: 5 } },
    });
    expect(others.judged?.asClusters?.kappa).toBeCloseTo((30 - 12) / (36 - 12), 12);
    // A feature that it says nothing of stays where it was, which is no agreement.
    const { others: fewer } = await placeFeatures(context(TRUTH).context, NAMES, FEATURES);
    expect(fewer.judged).toMatchObject({ answered: 5, asNearest: { agreed: 5 }, asClusters: { agreed: 5 }, moved: 0 });
    const told = JSON.parse(kept['code-coverage.json'] ?? '') as { features: object[] };
    expect(told.features[4]).toEqual({
      ...{ feature: 'a thing between', nearest: 'Proxies', cluster: null, judged: 'Proxies', isAnswered: true },
    });
  });

  it('has no kappa where every feature lies at one place by both', async () => {
    const one = { ...FEATURES, texts: ['a jar', 'a cookie'], vectors: [at(1), at(2)] };
    const { others } = await placeFeatures(context().context, NAMES, one);
    expect(others.clusters).toEqual({ planned: 1, outside: 0, agreement: 1, kappa: null });
  });

  it('tells nothing of a judge that is not believed', async () => {
    const yes = Object.fromEntries(FEATURES.texts.map((text) => [text, 'L9']));
    const { others } = await placeFeatures(context(yes).context, NAMES, FEATURES);
    expect(others.judged).toEqual({ ...{ planned: 2, outside: 3, moved: 0, trusted: false } });
  });
});
