import { posix } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { extract } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { storable } from '../../src/domain/text/storable.js';
import { packFiles } from '../../src/suite-kit/packed-files.js';
import { pathProblem, readFiles } from '../../src/suite-kit/answer-files.js';
import { readJson } from '../../src/suite-kit/answer-json.js';
import { readRewriteAnswer } from './adaptation/rewrite-answer.js';
import { readVoteAnswer } from './voting/vote-answer.js';
import { tokenize } from '../../src/suite-kit/tokenize.js';
import { scaled } from '../../tests/vitest/yardstick.js';

/** Answers of models: good ones in every form, broken ones, and text that is out to break something. */
const HOSTILE = [
  '\0',
  '\u001b[2J',
  '\u202e',
  '\ud800',
  '\u009b',
  '\r\n',
  '\u2028',
  '`',
  '```',
  '~~~',
  '{',
  '}',
  '"',
  '\\',
  '../',
  '漢',
];
const wild = fc.array(fc.oneof(fc.string(), fc.constantFrom(...HOSTILE))).map((all) => all.join(''));

const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const path = fc
  .tuple(fc.array(word, { maxLength: 3 }), word, fc.constantFrom('py', 'md', 'toml'))
  .map(([folders, name, ending]) => [...folders, `${name}.${ending}`].join('/'));
const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('x = 1', '    return {}', '# `code`', '"""', '\u001b[31m'),
);
const body = fc.array(
  line.filter((each) => !/^\s*(```|~~~)/.test(each) && !/[\n\r]/.test(each)),
  { maxLength: 8 },
);
/** Files none of which is a folder of another. */
const files = fc.uniqueArray(fc.tuple(path, body), { minLength: 1, maxLength: 5, selector: ([name]) => name });

type Files = [path: string, lines: string[]][];
const textOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
const meant = (all: Files): Map<string, string> => new Map(all.map(([name, lines]) => [name, textOf(lines)]));

/** The ways in which models write files down. */
const FORMS: Record<string, (all: Files) => string> = {
  object: (all) => JSON.stringify({ files: Object.fromEntries(meant(all)) }, null, 1),
  list: (all) => JSON.stringify([...meant(all)].map(([name, content]) => ({ path: name, content }))),
  'fenced object': (all) => `\`\`\`json\n${JSON.stringify(Object.fromEntries(meant(all)))}\n\`\`\``,
  headings: (all) =>
    all.map(([name, lines]) => `### ${name}\n\`\`\`python\n${textOf(lines)}\`\`\`\n`).join('\nAnd:\n\n'),
  labels: (all) => all.map(([name, lines]) => `**File: \`${name}\`**\n\n~~~~\n${textOf(lines)}~~~~\n`).join(''),
  infos: (all) => all.map(([name, lines]) => `\`\`\`python title="${name}"\n${textOf(lines)}\`\`\`\n`).join('\n'),
};

function read(answer: string): Map<string, string> | string {
  const found = readFiles(answer);
  if ('reason' in found) return found.reason;
  return new Map([...found.files].map(([name, bytes]) => [name, Buffer.from(bytes).toString('utf8')]));
}

async function unpacked(answer: string): Promise<void> {
  const found = readFiles(answer);
  if ('reason' in found) return void expect(found.reason).toMatch(/\S/);
  expect(found.files.size).toBeGreaterThan(0);
  const names: string[] = [];
  for await (const entry of Readable.from([await packFiles(found.files)]).pipe(extract())) {
    names.push(entry.header.name);
    entry.resume();
  }
  expect(names.sort()).toEqual([...found.files.keys()].sort());
  for (const name of names) {
    expect(pathProblem(name)).toBeUndefined();
    // By other means than the rule itself: where it leads, and that a disk takes it.
    expect(posix.resolve('/candidate', name)).toBe(`/candidate/${name}`);
    for (const part of name.split('/')) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(255);
    expect(name).not.toMatch(/[\0-\u001f\u007f-\u009f\u202a-\u202e]/);
  }
}

describe('files in an answer', () => {
  it.each(Object.entries(FORMS))('are all found, and nothing else, written as %s', (_, write) => {
    fc.assert(
      fc.property(files, (all) => {
        const paths = all.map(([name]) => name);
        fc.pre(!paths.some((one) => paths.some((other) => other.startsWith(`${one}/`))));
        expect(read(write(all))).toEqual(meant(all));
      }),
      { numRuns: 100 },
    );
  });

  it('of an answer that is cut anywhere are whole or not there', () => {
    const cut = fc.tuple(files, fc.constantFrom('object', 'headings', 'labels', 'infos'), fc.nat());
    fc.assert(
      fc.property(cut, ([all, form, at]) => {
        const whole = FORMS[form]!(all);
        const found = read(whole.slice(0, at % whole.length));
        if (typeof found === 'string') return;
        for (const [name, text] of found) expect(text).toBe(meant(all).get(name));
      }),
      { numRuns: 200 },
    );
  });

  it('of any answer pack into a tree that unpacks below its folder', async () => {
    const broken = fc
      .tuple(files, fc.constantFrom(...Object.keys(FORMS)), fc.nat(), fc.oneof(wild, fc.constantFrom(...HOSTILE)))
      .map(([all, form, at, put]) => {
        const whole = FORMS[form]!(all);
        return whole.slice(0, at % whole.length) + put + whole.slice(at % whole.length);
      });
    const named = fc
      .tuple(wild, fc.string({ maxLength: 300 }))
      .map(([name, text]) => JSON.stringify({ [name]: text, [`${name}.py`]: text }));
    await fc.assert(fc.asyncProperty(fc.oneof(broken, named, wild), unpacked), { numRuns: 400 });
  });

  it(
    'are read in a moment, also from megabytes of blocks',
    () => {
      const blocks = '```a.py\n```\n'.repeat(400_000);
      expect(read(blocks)).toMatch(/more than 2000 files/);
    },
    scaled(20_000),
  );

  it('with a name no file system takes are no candidate, instead of a broken sandbox', () => {
    expect(read(JSON.stringify({ [`${'漢'.repeat(90)}.py`]: 'x' }))).toMatch(/more than 255 bytes/);
    expect(read(JSON.stringify({ 'a\u202eyp.exe.py': 'x' }))).toMatch(/not allowed/);
  });
});

describe('a vote', () => {
  const answer = fc.constantFrom('YES', 'NO', 'PARTIAL', 'yes', 'Partial');
  const reason = fc.oneof(fc.string({ unit: 'grapheme' }), wild);

  it('is understood in every form, whatever its reason', () => {
    fc.assert(
      fc.property(answer, reason, fc.constantFrom('', 'Sure!\n', '```json\n'), (said, why, before) => {
        const written = `${before}${JSON.stringify({ answer: said, reason: why })}${before.startsWith('`') ? '\n```' : ''}`;
        const found = readVoteAnswer(written);
        expect(found?.answer).toBe(said.toLowerCase());
        // What goes into the record is one short line that it can hold.
        expect(storable(found?.reason)).toBe(found?.reason);
        expect(found?.reason).not.toMatch(/\p{Cc}/u);
        expect(Buffer.byteLength(JSON.stringify(found?.reason))).toBeLessThanOrEqual(400);
      }),
      { numRuns: 300 },
    );
  });

  it('is one of three answers or none, whatever was said, and soon', () => {
    const said = fc.oneof(
      wild,
      fc.tuple(wild, answer, wild).map((parts) => parts.join('')),
      fc.json(),
    );
    fc.assert(
      fc.property(said, (text) => {
        const found = readVoteAnswer(text);
        if (found !== null) expect(['yes', 'no', 'partial']).toContain(found.answer);
      }),
      { numRuns: 300 },
    );
  });
});

describe('an answer that is out to keep its reader busy', () => {
  /** What a reader that searches again from every place takes minutes over; workers read on their event loop. */
  const LONGEST = 500_000;
  const REPEATED = [
    ...[
      '{"files":',
      '{"',
      '{',
      '{}',
      '[',
      '"',
      '`',
      '```',
      '```{',
      '\n```json\n',
      '```py\n',
      'x```\n',
      '~~~\n',
      ' ~~~~\n{\n',
    ],
    ...['\n', '\r', '\r\n', ' ', '\t', '\u2028', '#', '*', '_', '.', 'A', 'YES ', 'CANNOT ', 'import a\n'],
  ];
  const filled = (before: string, part: string, after: string): string =>
    before + part.repeat((LONGEST - before.length - after.length) / part.length) + after;
  const answers = [
    ...REPEATED.map((part) => filled('', part, '')),
    ...['```', '~~~', 'YES', 'CANNOT', '{"a":"', '```json\n{'].flatMap((before) =>
      [' ', '`', '*', '\n', '\u2028', 'a.'].map((part) => filled(before, part, 'x\ry')),
    ),
  ];

  it.each<[string, (answer: string) => unknown]>([
    ['files', readFiles],
    ['a rewritten test', readRewriteAnswer],
    ['a vote', readVoteAnswer],
    ['a vote, at its cap', (answer) => readVoteAnswer(answer.slice(0, 60_000) + answer.slice(-3))],
    ['JSON', readJson],
    ['words of a docstring', tokenize],
  ])(
    'is read in a moment: %s',
    (_, reader) => {
      for (const answer of answers) reader(answer);
    },
    scaled(30_000),
  );
});
