import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FAILURE_KINDS } from './execution/execution-report.js';
import { repocraftExplanations } from './explanations.js';
import { FAILURE_CLASSES } from './stages/failure-class.js';

const folder = import.meta.dirname;

async function sources(of: string, suffix: string): Promise<{ name: string; text: string }[]> {
  const names = (await readdir(join(folder, of))).filter((name) => name.endsWith(suffix) && !name.includes('.test.'));
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, of, name), 'utf8') })));
}

/** First group of every match. */
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

/** What Python refuses a test or a rewrite with, and what the integrity scan flags. */
async function codesOfPython(): Promise<string[]> {
  const files = await sources('python/candidate', '.py');
  return files.flatMap(({ name, text }) => {
    const refused = all(text, /Refused\("([\w.-]+)"/g).concat(all(text, / if judged else "([\w-]+)"/g));
    const codes = name.startsWith('guard') ? refused.map((code) => `guard.${code.replace('guard.', '')}`) : refused;
    return [...codes, ...all(text, /"code": "([\w.-]+)"/g), ...all(text, /"flag": "([\w-]+)"/g)];
  });
}

async function codesOfStages(): Promise<string[]> {
  const files = [...(await sources('stages', '.ts')), ...(await sources('adaptation', '.ts'))];
  const judged = await readFile(join(folder, 'stages', 'judge.ts'), 'utf8');
  return [
    ...files.flatMap(({ text }) => all(text, /refused\('([\w.-]+)'/g)),
    ...all(judged, /'((?:not|vote)-[\w-]+)'/g),
  ];
}

it('explains every code that is written anywhere', async () => {
  const python = await codesOfPython();
  const stages = await codesOfStages();
  expect(python).toEqual(expect.arrayContaining(['adapt.unbound', 'guard.tautology', 'guard.structure', 'vendored']));
  expect(stages).toEqual(expect.arrayContaining(['rewrite.cannot', 'vote-partial']));
  const listed = [...FAILURE_KINDS.map((kind) => `test.${kind}`), ...FAILURE_CLASSES.map((each) => `class.${each}`)];
  const missing = [...python, ...stages, ...listed].filter((code) => !Object.hasOwn(repocraftExplanations, code));
  expect([...new Set(missing)]).toEqual([]);
});
