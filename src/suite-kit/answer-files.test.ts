import { describe, expect, it } from 'vitest';
import { readFiles } from './answer-files.js';

function texts(answer: string): Record<string, string> | string {
  const read = readFiles(answer);
  if ('reason' in read) return read.reason;
  return Object.fromEntries([...read.files].map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]));
}

describe('files in an answer', () => {
  it.each([
    ['a heading before the block', '### pkg/a.py\n```python\nx = 1\n```\n'],
    ['a label in bold', 'Here you are:\n\n**File: `pkg/a.py`**\n\n```python\nx = 1\n```\nDone.'],
    ['the info string', '```python pkg/a.py\nx = 1\n```'],
    ['a titled info string', '```python title="pkg/a.py"\nx = 1\n```'],
  ])('are found by %s', (_, answer) => {
    expect(texts(answer)).toEqual({ 'pkg/a.py': 'x = 1\n' });
  });

  it('are found by a first comment, which stays in the file', () => {
    expect(texts('```python\n# pkg/a.py\nx = 1\n```')).toEqual({ 'pkg/a.py': '# pkg/a.py\nx = 1\n' });
  });

  it('are found in JSON, as an object or a list, fenced or not', () => {
    const files = { 'pkg/a.py': 'x = 1\n', 'README.md': '```\nhi\n```' };
    expect(texts(JSON.stringify({ files }))).toEqual(files);
    expect(texts('```json\n' + JSON.stringify(files, null, 1) + '\n```')).toEqual(files);
    expect(texts(JSON.stringify([{ path: 'a.py', content: 'y' }]))).toEqual({ 'a.py': 'y' });
  });

  it('are found in JSON however deep a model puts them', () => {
    const deep = 50_000;
    const files = JSON.stringify({ 'a.py': 'y' });
    expect(texts(`${'{"files":'.repeat(deep)}${files}${'}'.repeat(deep)}`)).toEqual({ 'a.py': 'y' });
  });

  it('may hold shorter fences inside longer ones', () => {
    expect(texts('### README.md\n````\n```\ncode\n```\n````\n')).toEqual({ 'README.md': '```\ncode\n```\n' });
  });

  it('leave out a block that was cut off', () => {
    expect(texts('### a.py\n```python\nx = 1\n```\n### b.py\n```python\ny = ')).toEqual({ 'a.py': 'x = 1\n' });
  });
});

describe('an answer without usable files', () => {
  it.each([
    ['', /empty/],
    ['I am sorry, I cannot do that.', /no file/],
    ['```python\nx = 1\n```', /no file/],
    ['### ../../etc/cron.d/x.py\n```\nx\n```', /leaves the tree/],
    ['{"/etc/passwd.py": "x"}', /absolute/],
    ['{"a\\\\b.py": "x"}', /not allowed/],
    ['{"a//b.py": "x"}', /leaves the tree/],
    ['{"a.py": "x", "a.py/b.py": "y"}', /file and a folder/],
  ])('%j', (answer, reason) => {
    expect(texts(answer)).toMatch(reason);
  });
});
