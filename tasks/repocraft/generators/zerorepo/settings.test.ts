import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../../../tests/fixtures/package-root.js';
import { optionsOf, zerorepoOptions } from './settings.js';

it('docs/guides/zerorepo.md tells every setting, with its default', async () => {
  const page = await readFile(join(PACKAGE_ROOT, 'docs', 'guides', 'zerorepo.md'), 'utf8');
  const section = /\n## Settings[^]*?(?=\n## )/.exec(page)?.[0] ?? '';
  const rows = [...section.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| ([^|]+) \|/gm)];
  const told = rows.flatMap(([, names = '', values = '']) => {
    const defaults = values.split(', ');
    return names.split(', ').map((name, index) => [name.slice(1, -1), defaults[index]?.trim()] as const);
  });
  const named = { knowledge: '–', purpose: "the project's" };
  const defaults = { ...optionsOf({ options: {} }), ...named } as Record<string, number | string>;
  const all = Object.keys(zerorepoOptions.shape).map((name) => [name, String(defaults[name])]);
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(all));
});
