import { describe, expect, test } from 'vitest';
import { answerTree } from './answer-tree.js';

const CI = '.github/workflows/ci.yml';
const TEXT = 'on: push\njobs: {}';
const block = (text = TEXT, info = 'yaml'): string => `\`\`\`${info}\n${text}\n\`\`\``;

function read(
  answer: string,
  expected: string[] = [CI],
): { files: Record<string, string>; refusal: unknown; notes: string[] } {
  const { files, refusal, notes } = answerTree(answer, expected);
  const texts = [...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString('utf8')] as const);
  return { files: Object.fromEntries(texts), refusal, notes };
}

describe('the files of an answer', () => {
  test.each<[string, string, string[], string[]]>([
    ['a fenced block with its path before it', `Here it is.\n\n\`${CI}\`\n${block()}\nDone.`, [CI], []],
    ['a path in the info string', block(TEXT, `yaml title="${CI}"`), [CI], []],
    ['a path in the first comment', block(`# ${CI}\n${TEXT}`), [CI], []],
    ['JSON', JSON.stringify({ files: { [CI]: `${TEXT}\n` } }), [CI], []],
    ['JSON in a fence', block(JSON.stringify([{ path: CI, content: TEXT }]), 'json'), [CI], []],
    ['one block without a path', `Sure:\n\n${block()}`, [CI], ['no-path']],
    ['one YAML block beside one of shell', `${block('npm test', 'sh')}\n\n${block()}`, [CI], ['no-path']],
    [
      'two files',
      `\`${CI}\`\n${block()}\n\n\`.github/workflows/b.yml\`\n${block()}`,
      [CI, '.github/workflows/b.yml'],
      [],
    ],
    [
      'a file of the project beside it',
      `\`${CI}\`\n${block()}\n\n\`src/a.js\`\n${block('1', 'js')}`,
      [CI],
      ['dropped'],
    ],
    ['files that lie outside and are all there is', `\`src/a.js\`\n${block('1', 'js')}`, [], ['dropped']],
  ])('%s', (_, answer, paths, notes) => {
    const found = read(answer);
    expect({ paths: Object.keys(found.files), refusal: found.refusal, notes: found.notes }).toEqual({
      ...{ paths, notes },
      refusal: null,
    });
  });

  test('a file that the task names counts wherever it lies', () => {
    expect(Object.keys(read(`\`ci/x.json\`\n${block('{}', 'json')}`, [CI, 'ci/x.json']).files)).toEqual(['ci/x.json']);
  });

  test('a block that was shown twice was revised: the last one counts', () => {
    const { files } = read(`\`${CI}\`\n${block('a: 1')}\nBetter:\n\`${CI}\`\n${block('a: 2')}`);
    expect(files).toEqual({ [CI]: 'a: 2\n' });
  });
});

describe('no candidate', () => {
  test.each<[string, string, RegExp]>([
    ['nothing', '', /^the answer is empty$/],
    ['prose', 'I would use a matrix here.', /^the answer holds no file/],
    ['a block that was cut off', `\`${CI}\`\n\`\`\`yaml\n${TEXT}`, /^the answer holds no file/],
    ['two blocks without a path', `${block()}\n\n${block()}`, /^the answer holds no file/],
    ['a path that leaves the tree', `\`../../.github/workflows/ci.yml\`\n${block()}`, /leaves the tree/],
    [
      'a path that leaves it from inside',
      JSON.stringify({ '.github/workflows/../../../x.yml': 'a' }),
      /leaves the tree/,
    ],
    ['an absolute path', JSON.stringify({ '/root/.github/workflows/ci.yml': 'a' }), /is absolute/],
    ['a path with a NUL', JSON.stringify({ '.github/workflows/c\0i.yml': 'a' }), /not allowed in file names/],
    ['a file that is a folder', JSON.stringify({ '.github': 'a', [CI]: 'b' }), /is a file and a folder at once/],
    ['one path outside beside a good one', JSON.stringify({ [CI]: 'a', '../x': 'b' }), /leaves the tree/],
  ])('%s', (_, answer, refusal) => {
    expect(read(answer)).toEqual({ files: {}, refusal: expect.stringMatching(refusal) as string, notes: [] });
  });
});
