import { expect, it } from 'vitest';
import { storableText } from '../../../../../src/domain/text/storable.js';
import { mermaidOf, svgOf } from './graph-views.js';
import { emptyGraph } from './planning-graph.js';

it('draws names of any kind: well-formed XML, and Mermaid without markup of theirs', () => {
  const name = '<b> & "x" \u0000\u001b[2J #quot; `code` ]\ud800';
  const modules = ['A', name].map((one) => ({ name: one, description: '', folder: null }));
  const graph = {
    ...emptyGraph({ title: 't', purpose: 'p', package: 'tt' }),
    modules,
    flows: [{ source: 'A', target: name, id: name, type: name, transformation: '' }],
  };
  const [mermaid, svg] = [mermaidOf(graph), svgOf(graph)];
  expect(mermaid).toContain('subgraph module2["');
  for (const line of mermaid.split('\n')) expect(line.match(/["#`<>]/g)?.join('') ?? '').toMatch(/^("")?(>|"">|)?$/);
  expect(svg).toContain('&lt;b&gt; &amp; &quot;x&quot;');
  expect(storableText(svg)).toBe(svg);
  expect(svg).not.toMatch(/[\u0000-\u0008\u000b-\u001f]|&(?!amp;|lt;|gt;|quot;)/);
});
