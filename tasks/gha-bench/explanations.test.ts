import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ghaExplanations } from './explanations.js';

/** First group of every match in the sources of these folders. */
async function written(folders: readonly string[], pattern: RegExp): Promise<string[]> {
  const found = folders.map(async (of) => {
    const folder = join(import.meta.dirname, of);
    const names = (await readdir(folder)).filter((name) => name.endsWith('.ts') && !name.includes('.test.'));
    const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return texts.flatMap((text) => [...text.matchAll(pattern)].map(([, code = '']) => code));
  });
  return [...new Set((await Promise.all(found)).flat())];
}

it('explains every rule of the syntax and every reason of the other layers', async () => {
  const rules = await written(
    ['syntax', 'grading'],
    /(?:\breport\((?:\w+|\[[^\]]*\]), |\bwhole\((?:(?:\w+|''), )?|\brule: )'([a-z-]+)'/g,
  );
  expect(rules).toEqual(expect.arrayContaining(['no-steps', 'size', 'files', 'schema', 'limit', 'call']));
  const reasons = await written(['grading'], /'((?:lint|runs|format|features)(?:\.[a-z-]+)?)'/g);
  expect(reasons).toEqual(expect.arrayContaining(['format', 'features', 'runs.unsupported']));
  const lint = await written(['grading'], /\['(dangerous-workflow|limit)'\]/g);
  const codes = [
    ...rules.map((rule) => `syntax.${rule}`),
    ...reasons.filter((reason) => reason !== 'lint'),
    ...[...lint, 'actionlint', 'zizmor'].map((rule) => `lint.${rule}`),
  ];
  expect(codes.filter((code) => !Object.hasOwn(ghaExplanations, code))).toEqual([]);
});
