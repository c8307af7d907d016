import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { READS_OLD_WORDS, RETIRED_WORDS, RETIRED } from '../fixtures/retired-words.js';

// One word, one meaning: what the glossary has given another name does not come back.

const root = join(import.meta.dirname, '..', '..');
const SEARCHED =
  /^((src|workflows|activities|tasks|bench)\/.*(\.ts|\.py|\.md)|docs\/(?!decisions\/|results\/).*\.md|[A-Z]+\.md)$/;
/** And the history of changes. */
const MAY = [...READS_OLD_WORDS, 'CHANGELOG.md'];

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => SEARCHED.test(path) && !/\.test\.ts$/.test(path) && !MAY.includes(path));

describe('retired words', () => {
  it('are in no source and on no page', () => {
    const found = files.flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .flatMap((line, index) => (RETIRED.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });

  it.each(Object.entries(RETIRED_WORDS))('"%s" is found where it is written; say "%s"', (word) => {
    expect(`of ${word}, too`).toMatch(RETIRED);
  });
});
