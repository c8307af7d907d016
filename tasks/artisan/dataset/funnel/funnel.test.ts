import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ArtifactTree, TreeEntry } from './artifact-tree.js';
import { CRITERIA } from './criteria.js';
import { judgeStudy } from './funnel.js';
import { yamlFacts, type StudyRecord } from './study-record.js';

// Trees written for this, with what is true of them; every criterion is compared in every tree.

const CORPUS = join(import.meta.dirname, '../../../../tests/fixtures/artisan/funnel');

interface Case {
  name: string;
  /** Why not all of the artifact is there. */
  download?: string;
  /** Keys of the metadata that are otherwise; null: nobody knows. */
  metadata?: Record<string, string | null>;
  files?: Record<string, string | null | { unreadable: string } | { base64: string }>;
  expect: Record<string, string>;
}

const BASE: Record<string, string> = {
  'README.md':
    '# Reviews and defects\nThe study behind the paper.\n\nRunning `make` takes about 20 minutes on a laptop.\n',
  Dockerfile: 'FROM python:3.11-slim\nCOPY . /study\n',
  'code/analysis.py':
    'import csv\nimport sys\n\n\ndef main():\n    with open("data/reviews.csv") as file:\n        print(len(list(csv.reader(file))))\n',
  'data/reviews.csv': 'comment,defects\nok,1\n',
};

const BASE_NAMES = Object.keys(BASE);
/** What the criteria look for, to be put together by chance. */
const PIECES = [
  ...[
    '\n',
    '\n\n',
    '\r\n',
    '# ',
    '```',
    '"""',
    '| time |',
    'FROM alpine',
    'import openai',
    'try:',
    'except ImportError:',
    '\n    ',
  ],
  ...[
    'takes',
    'two days',
    '1,000 hours',
    '7:30 h',
    'requires a GPU',
    'not needed',
    'your',
    'API key',
    'rnorm(',
    'set.seed(1)',
    '*',
    '!',
  ],
  ...[
    '{"cells": [',
    '{"cell_type": "code", "source": "',
    '"}',
    ']}',
    'open("x.csv")',
    '.cuda()',
    '512 GB of RAM',
    'docker pull',
  ],
];

const METADATA: Record<string, string | null> = {
  title: 'Code reviews and defects',
  track: 'Proceedings, research papers',
  badges: '[available, reproduced]',
  artifact: 'https://example.org/artifact',
};
const TABLE: Record<string, string | null> = {
  caption: 'Defects by size of review',
  columns: '[small, large]',
  cells: "['12', '3.4']",
  intervals: null,
};

const EXPECTED: Record<string, string> = {
  track: 'in metadata.yaml:2',
  badges: 'in metadata.yaml:3',
  artifact: 'in Dockerfile',
  packaged: 'in Dockerfile:1',
  'public-apis': 'in',
  'no-gpu': 'in',
  runtime: 'in README.md:4',
  'result-table': 'in metadata.yaml:9',
  'data-there': 'in code/analysis.py:6',
  deterministic: 'in',
  hardware: 'in',
};

const cases = readdirSync(CORPUS).flatMap((file) => parse(readFileSync(join(CORPUS, file), 'utf8')) as Case[]);

test('the corpus is large enough, and no name stands twice', () => {
  expect(cases.length).toBeGreaterThanOrEqual(40);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  expect(Object.keys(EXPECTED)).toEqual(CRITERIA.map(({ id }) => id));
  for (const { expect: truth } of cases)
    expect(Object.keys(EXPECTED)).toEqual(expect.arrayContaining(Object.keys(truth)));
});

describe('every verdict is right, with the line that decided', () => {
  test.each(cases.map((each) => [each.name, each] as const))('%s', (_name, each) => {
    const { record, tree, texts } = studyOf(each);
    const { rows } = judgeStudy(record, tree);
    const found = rows.map(({ criterion, verdict, evidence: [first] }) => {
      const place = first === undefined ? [] : [first.line === null ? first.file : `${first.file}:${first.line}`];
      return [criterion, [verdict, ...place].join(' ')];
    });
    expect(Object.fromEntries(found)).toEqual({ ...EXPECTED, ...each.expect });
    // What decided does stand in that line.
    for (const { file, line, match } of rows.flatMap(({ evidence }) => evidence))
      if (line !== null && match !== '') expect(texts.get(file)?.split('\n')[line - 1]).toContain(match);
  });
});

test('what cannot be read is never a reason to leave a study out', () => {
  for (const each of cases) {
    const { record, tree } = studyOf({ ...each, metadata: {} });
    const failed: StudyRecord = { ...record, download: { isComplete: false, why: 'timeout' } };
    const unread = new Map([...tree.keys()].map((path) => [path, { unreadable: 'damaged' }]));
    for (const gone of [new Map<string, TreeEntry>(), unread])
      for (const { criterion, verdict } of judgeStudy(failed, gone).rows)
        if (EXPECTED[criterion] !== undefined) expect(verdict, `${each.name}: ${criterion}`).not.toBe('out');
  }
});

test('whatever stands in the files, a verdict comes of it, with lines that are there', () => {
  const names = [
    ...BASE_NAMES,
    '.gitignore',
    'a.ipynb',
    'a.Rmd',
    'a.js',
    'requirements.txt',
    'environment.yml',
    'data/x/y.py',
  ];
  const piece = fc.constantFrom(...PIECES);
  const text = fc
    .array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 12 })), { maxLength: 30 })
    .map((all) => all.join(' '));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), text, { maxKeys: 5 }), (texts) => {
      const tree = new Map(Object.entries(texts).map(([path, content]) => [path, Buffer.from(content)]));
      const { rows } = judgeStudy(studyOf({ name: '', expect: {} }).record, tree);
      expect(rows.map(({ criterion }) => criterion)).toEqual(CRITERIA.map(({ id }) => id));
      for (const { file, line, match } of rows.flatMap(({ evidence }) => evidence))
        if (line !== null && tree.has(file))
          expect((texts[file] ?? '').split('\n')[line - 1] ?? null, file).toContain(match);
    }),
    { numRuns: 500 },
  );
});

function studyOf({ files = {}, metadata = {}, download }: Case): {
  record: StudyRecord;
  tree: ArtifactTree;
  texts: Map<string, string>;
} {
  const { 'metadata.yaml': given, ...rest } = { ...BASE, ...files };
  const tree = new Map<string, TreeEntry>();
  for (const [path, content] of Object.entries(rest)) {
    if (content === null) continue;
    if (typeof content === 'string') tree.set(path, Buffer.from(content));
    else tree.set(path, 'base64' in content ? Buffer.from(content.base64, 'base64') : content);
  }
  const text = typeof given === 'string' ? given : metadataText(metadata);
  const texts = new Map(
    [...tree].map(([path, entry]) => [path, entry instanceof Uint8Array ? Buffer.from(entry).toString('utf8') : '']),
  );
  return { record: recordOf(text, download), tree, texts: texts.set('metadata.yaml', text) };
}

function metadataText(changed: Record<string, string | null>): string {
  const lines = (keys: Record<string, string | null>): string[] =>
    Object.entries(keys).flatMap(([key, usual]) => {
      const value = key in changed ? (changed[key] ?? null) : usual;
      return value === null ? [] : [`${key}: ${value}`];
    });
  return [...lines(METADATA), 'tables:', '  - id: t1', ...lines(TABLE).map((line) => `    ${line}`), ''].join('\n');
}

function recordOf(text: string, download: string | undefined): StudyRecord {
  const { at } = yamlFacts(text, 'metadata.yaml');
  const title = at<string>('title');
  return {
    id: 'study',
    about: title === null ? [] : [title],
    track: at('track'),
    badges: at('badges'),
    address: at('artifact'),
    download: download === undefined ? { isComplete: true } : { isComplete: false, why: download },
    environment: null,
    seconds: null,
    tables: [
      {
        id: 't1',
        caption: at('tables', 0, 'caption'),
        columns: at('tables', 0, 'columns'),
        cells: at('tables', 0, 'cells'),
        data: null,
        intervals: at('tables', 0, 'intervals'),
      },
    ],
  };
}
