import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { repocraftExplanations } from '../explanations.js';
import { FAILURE_CLASSES } from '../stages/failure-class.js';
import { judge } from '../stages/judge.js';
import type { ScoreInput } from '../results.js';
import { repocraftFailures } from './failure-analysis.js';

const NOTHING: ScoreInput = {
  ...{ located: { searched: true, localized: false, matches: [] }, votes: [] },
  ...{ adapted: null, run: null, control: null },
};

it('reads class and stage from what a verdict leaves in a row', () => {
  const place = (input: ScoreInput): unknown[] => {
    const { reasons, metrics } = judge(input);
    const row = { reason: reasons[0]!, metrics };
    return [repocraftFailures.classOf(row), repocraftFailures.stageOf(row)];
  };
  expect(place(NOTHING)).toEqual(['class.planning', 'localize']);
  const located = { searched: true, localized: true, matches: [{ entry: 1, name: 'a.b', score: 0.7 }] };
  expect(place({ ...NOTHING, located })).toEqual(['class.generation', 'vote']);
  const row = { reason: 'system.limit', metrics: {} };
  expect([repocraftFailures.classOf(row), repocraftFailures.stageOf(row)]).toEqual([null, 'generate']);
});

it('has a rule for each class but the finest, with the thresholds that were asked for', () => {
  const above = new Map(
    repocraftFailures.rules.map(({ counts, above: share }) => ['class' in counts && counts.class, share]),
  );
  expect([above.get('class.planning'), above.get('class.generation'), above.get('class.localization')]).toEqual([
    0.2, 0.3, 0.15,
  ]);
  for (const code of above.keys()) expect(repocraftExplanations).toHaveProperty([String(code)]);
  const wide = FAILURE_CLASSES.filter((name) => !name.includes('.'));
  expect(wide.filter((name) => !above.has(`class.${name}`))).toEqual([]);
});

it('knows how hard every task of the locks is', async () => {
  const found = await repocraftFailures.difficulties!(fileURLToPath(new URL('..', import.meta.url)));
  expect(found.size).toBeGreaterThan(1_000);
  expect([...new Set(found.values())]).toEqual(['easy', 'medium', 'hard']);
});
