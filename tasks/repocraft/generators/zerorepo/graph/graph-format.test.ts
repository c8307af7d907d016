import { describe, expect, it } from 'vitest';
import { graphText, parseGraph } from './graph-format.js';
import { emptyGraph } from './planning-graph.js';

describe('a file of a graph', () => {
  const text = graphText(emptyGraph({ title: 't', purpose: 'p', package: 'tt' }));
  const file = JSON.parse(text) as Record<string, unknown>;

  it.each([
    ['of a later version', { ...file, version: 2, nodes: [] }, ['version: is 2; this Durabench reads version 1']],
    ['without a version', { ...file, version: undefined }, ['version: is missing; this Durabench reads version 1']],
    ['of another kind', { nodes: [] }, ['format: is missing; a planning graph has "durabench.planning-graph"']],
    ['that is a list', [], ['format: is missing; a planning graph has "durabench.planning-graph"']],
    ['that is nothing', null, ['format: is missing; a planning graph has "durabench.planning-graph"']],
  ])('%s is refused, and nothing else is said of it', (_, value, problems) => {
    expect(parseGraph(JSON.stringify(value), 'features')).toEqual({ problems });
  });

  it('that is cut off is told from one that says something wrong', () => {
    expect(parseGraph(text.slice(0, 60), 'features')).toEqual({
      problems: [expect.stringMatching(/^not JSON: /)],
    });
    const unknown = parseGraph(JSON.stringify({ ...file, colour: 'red', modules: [{ name: 7 }] }), 'features');
    expect('problems' in unknown && unknown.problems.join('\n')).toMatch(/modules\.0\.name: .*\n[^]*colour/);
  });

  it('shows a terminal nothing to obey', () => {
    const graph = emptyGraph({ title: 'a\u009b2J\u202eb', purpose: '\u001b[2J', package: 'tt' });
    const written = graphText(graph);
    expect(written).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(parseGraph(written, 'features')).toEqual({ graph });
  });
});
