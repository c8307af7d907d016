import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../../../../tests/fixtures/package-root.js';
import { planTextkit } from '../../../../../tests/fixtures/zerorepo/planned-textkit.js';
import { graphProblems } from '../graph/graph-problems.js';
import { mermaidOf, svgOf } from '../graph/graph-views.js';
import { forecastUnits } from './forecast.js';

describe('a plan of textkit', () => {
  it('holds every invariant, and is what docs/guides/zerorepo.md shows', async () => {
    const { graph } = await planTextkit();
    expect(graphProblems(graph, 'interfaces')).toEqual([]);
    expect(graph).toMatchObject({ title: 'ProseMeter', package: 'prosemeter' });
    expect([graph.features, graph.modules, graph.files].map(({ length }) => length)).toEqual([40, 4, 14]);
    const docs = join(PACKAGE_ROOT, 'docs', 'guides');
    expect(await readFile(join(docs, 'zerorepo.md'), 'utf8')).toContain(`\`\`\`mermaid\n${mermaidOf(graph)}\`\`\``);
    expect(await readFile(join(docs, 'zerorepo-graph.svg'), 'utf8')).toBe(svgOf(graph));
  });

  it('has a forecast: calls exactly, tokens and money as a range that grows with the plan', async () => {
    const [whole, part] = await Promise.all([planTextkit(), planTextkit({ options: { features: 10 } })]);
    const of = ({ context, graph }: typeof whole) => forecastUnits(context, graph);
    const units = whole.graph.interfaces.length;
    const calls = 2 * units + 4 + 2;
    expect(of(whole)).toMatchObject({ units, calls: [calls, calls + 6 * units] });
    expect(of(whole).tokens[0]).toBeGreaterThan(2 * of(part).tokens[0]);
    // At 1 and 4 dollars a million tokens.
    const [dearest, cheapest] = [4, 1].map((price) => of(whole).tokens[1] * price);
    expect(of(whole).microUsd[1]).toBeLessThan(dearest ?? 0);
    expect(of(whole).microUsd[1]).toBeGreaterThan(cheapest ?? 0);
    whole.context.system.options = { batch: 5 };
    expect(of(whole).calls[0]).toBeLessThan(calls);
  });
});

describe('a plan by a model that is no planner', () => {
  it.each([
    ['refuses', 'I am sorry, I cannot help with that.'],
    ['says nothing', ''],
    ['proposes nothing', '{"features": []}'],
    ['says a megabyte', 'x'.repeat(1_000_000)],
  ])('%s: has no feature, and nothing breaks', async (_, text) => {
    const { graph } = await planTextkit({ say: () => text });
    expect(graph.features).toEqual([]);
  });

  it.each([
    [/^(propose|check)/, 40],
    // Nobody judges: also what is out of scope is kept.
    [/^propose/, 41],
  ])('that only answers %s and then always refuses: is repaired by rule, and holds', async (prompts, features) => {
    const { graph } = await planTextkit({ say: (prompt) => (prompts.test(prompt) ? undefined : 'No.') });
    expect(graph.features).toHaveLength(features);
    expect(graphProblems(graph, 'interfaces')).toEqual([]);
  });

  it('names features after keywords and standard modules: files and functions get legal names', async () => {
    const names = ['class', 'import', 'json', 'sys', '../../etc', '.git', 'None', '日本語'];
    const features = names.map((name) => ({ path: ['Area', name, name], description: 'd' }));
    const answer = JSON.stringify({ features });
    const { graph } = await planTextkit({
      say: (prompt) => (prompt.startsWith('propose') ? answer : 'No.'),
    });
    expect(graph.features.length).toBe(names.length);
    expect(graphProblems(graph, 'interfaces')).toEqual([]);
    expect(graph.files.every(({ path }) => /^[a-z0-9_/]+\.py$/.test(path))).toBe(true);
  });
});

it('a system may bring its own purpose, in any language, and a feature tree', async () => {
  const options = {
    purpose: '文章を測る小さなライブラリ',
    knowledge: { Text: { Words: ['count words', 'split words'] } },
  };
  const { graph, asked } = await planTextkit({ options });
  expect(graph).toMatchObject({ purpose: options.purpose, title: 'ProseMeter' });
  const [first] = asked;
  expect(first?.messages.at(-1)?.content).toContain(options.purpose);
  expect(first?.messages.at(-1)?.content).toContain('"count words"');
});

describe('what is drawn from a feature tree', () => {
  const AREAS = ['reading', 'writing', 'sorting', 'joining', 'drawing', 'naming'];
  const knowledge = Object.fromEntries(
    AREAS.map((area) => [area, Array.from({ length: 20 }, (_, place) => `${area} ${'abcdefghijklmnopqrst'[place]}`)]),
  );
  /** The prompts of all rounds: they hold what was drawn. */
  const drawn = async (of: { campaign?: string; seed?: number; repeat?: number }): Promise<string> => {
    const { asked } = await planTextkit({ options: { knowledge, shown: 6, explore: 1, features: 10 }, of });
    return JSON.stringify(asked.filter(({ prompt }) => prompt.startsWith('propose')).map(({ messages }) => messages));
  };

  it('is decided by the seed of the campaign file, and by the repeat', async () => {
    const own = await drawn({ seed: 7 });
    expect(await drawn({ seed: 7 })).toBe(own);
    expect(await drawn({ seed: 8 })).not.toBe(own);
    expect(await drawn({ seed: 7, repeat: 2 })).not.toBe(own);
  });

  it('is the same in another campaign of the same file', async () => {
    expect(await drawn({ seed: 7, campaign: 'd' })).toBe(await drawn({ seed: 7 }));
  });
});
