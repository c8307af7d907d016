import { describe, expect, it } from 'vitest';
import { readAnswer } from './read-answer.js';

const A = 'words/split.py::split';
const B = 'words/join.py::join';
const block = (text: string, info = 'python'): string => `\`\`\`${info}\n${text}\n\`\`\`\n`;

describe('code in an answer', () => {
  it('is found by the id above each block, whatever stands around', () => {
    const answer = `Here you are.\n\n### \`${A}\`\n\n${block('a = 1')}\nAnd:\n**${B}**\n${block('b = 2', 'py')}Done.`;
    const sources = [
      { unit: A, source: 'a = 1\n' },
      { unit: B, source: 'b = 2\n' },
    ];
    expect(readAnswer('units', answer, [A, B])).toEqual({ units: sources });
    expect(readAnswer('tests', answer, [A, B])).toEqual({ tests: sources });
  });

  it('needs no heading where one unit was asked for, and may come in parts', () => {
    expect(readAnswer('units', `${block('import re', '')}${block('a = 1')}`, [A])).toEqual({
      units: [{ unit: A, source: 'import re\n\n\na = 1\n' }],
    });
    expect(readAnswer('units', block('a = 1'), [A, B])).toBeUndefined();
  });

  it('may also be the JSON that earlier prompts asked for', () => {
    const old = { units: [{ unit: A, source: 'a = {"b": 1}' }] };
    expect(readAnswer('units', JSON.stringify(old), [A])).toEqual(old);
    expect(readAnswer('units', block(JSON.stringify(old, null, 1), 'json'), [A])).toEqual(old);
    expect(readAnswer('units', block(JSON.stringify(old, null, 1), ''), [A])).toEqual(old);
  });

  it('that was cut off is none', () => {
    expect(readAnswer('source', '```python\ndef test_it():', [])).toBeUndefined();
    expect(readAnswer('source', 'I would rather not.', [])).toBeUndefined();
  });

  it('is one file: the longest block', () => {
    expect(readAnswer('source', `${block('pip', 'sh')}${block('a')}${block('def test_it(): ...')}`, [])).toEqual({
      source: 'def test_it(): ...\n',
    });
  });

  it('comes as edits by kind and name', () => {
    const answer = `### function \`f\`\n${block('def f(): ...')}### Method \`A.g\`\n${block('def g(): ...')}### imports\n${block('import re')}### assignment _X\n${block('_X = 1')}`;
    expect(readAnswer('edits', answer, [A])).toEqual({
      edits: [
        { kind: 'function', name: 'f', source: 'def f(): ...\n' },
        { kind: 'method', name: 'A.g', source: 'def g(): ...\n' },
        { kind: 'imports', name: '', source: 'import re\n' },
        { kind: 'assignment', name: '_X', source: '_X = 1\n' },
      ],
    });
    expect(readAnswer('edits', block('def split(): ...'), [A])).toEqual({
      edits: [{ kind: 'function', name: 'split', source: 'def split(): ...\n' }],
    });
  });
});

describe('a README in an answer', () => {
  const readme = '# Kit\n\n```python\nimport kit\n```\n';
  it.each([
    ['as it stands', readme],
    ['in a block that holds blocks', `\`\`\`markdown\n${readme}\`\`\``],
  ])('is read %s', (_, answer) => {
    expect(readAnswer('markdown', answer, [])).toEqual({ markdown: readme });
  });

  it('begins with a heading; a refusal is none', () => {
    expect(readAnswer('markdown', 'I am sorry.', [])).toBeUndefined();
    expect(readAnswer('markdown', '{"markdown": "# Kit"}', [])).toEqual({ markdown: '# Kit' });
  });
});
