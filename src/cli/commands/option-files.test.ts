import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../program.js';

/** Settings of a generator that are large or come in files, through `durabench validate`. */
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-options-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function validate(settings: string, generator = 'zerorepo'): Promise<{ code: number; out: string }> {
  const models = 'models: { m: { name: m, base_url: "http://127.0.0.1:1/v1", price: free } }';
  const system = `  - { id: s, generator: ${generator}, model: m }`;
  const text = `name: demo\nsuite: repocraft\ndataset: { projects: [textkit] }\n${models}\nsystems:\n${system}\n`;
  await writeFile(join(folder, 'c.yaml'), text.replace('model: m }', `model: m, ${settings} }`));
  let out = '';
  const write = (part: string) => (out += part);
  const code = await runCommandLine({
    ...{ argv: ['validate', 'c.yaml', '--print-config'], cwd: folder },
    variables: { HOME: folder, PATH: '', DURABENCH_HOME: join(folder, 'state') },
    ...{ stdout: { write }, stderr: { write } },
  });
  return { code, out };
}

const PLACE = String.raw`^error: c\.yaml:6:\d+: systems\[0\]\.`;

describe('a purpose', () => {
  it('may be in any language', async () => {
    expect(await validate('purpose: "Une bibliothèque de texte; テキスト"')).toMatchObject({ code: 0 });
  });

  it.each([
    ['empty', '""'],
    ['blank', '" \\n "'],
    ['50 KB long', `"${'word '.repeat(10_000)}"`],
  ])('that is %s is refused in three lines', async (_, text) => {
    const { code, out } = await validate(`purpose: ${text}`);
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`${PLACE}purpose is .*\\n  expected: a text of 1 to 20,000 characters.*\\n  fix: `));
    expect(out.length).toBeLessThan(1_000);
  });
});

describe('a feature tree', () => {
  it('is read from its file and becomes part of the campaign', async () => {
    await writeFile(join(folder, 'tree.json'), '{"Text": {"Words": ["count", "split"]}}');
    const { code, out } = await validate('knowledge: tree.json');
    expect(code).toBe(0);
    expect(out).toMatch(/Words/);
  });

  it('of any size is read, and stands in the campaign by its path, hash and number of leaves', async () => {
    const names = Array.from({ length: 30_000 }, (_, n) => `feature ${n} of a library`);
    await writeFile(join(folder, 'tree.json'), JSON.stringify({ Text: names }));
    const { code, out } = await validate('knowledge: tree.json');
    expect(code).toBe(0);
    expect(out).toMatch(/leaves: 30000/);
    expect(out).toMatch(/sha256: [0-9a-f]{64}/);
    expect(out.length).toBeLessThan(20_000);
  });

  it('may stand in the file itself', async () => {
    expect(await validate('knowledge: { Text: { Words: [count] } }')).toMatchObject({ code: 0 });
  });

  it.each([
    ['is missing', null, /"tree\.json" does not exist \(looked at /],
    ['is cut off', '{"Text": {"Wo', /"tree\.json" is not JSON: /],
    ['has a cycle', '{"Text": {"Words": {"Text": {}}}}', /"tree\.json" has a cycle: Text \/ Words \/ Text/],
    ['is a table', '[{"name": 3}]', /"tree\.json" name holds 3, which is no name/],
    [
      'has a name of 300 KB',
      `["${'x'.repeat(300 * 1024)}"]`,
      /"tree\.json" has a name of more than 10000 characters below its top/,
    ],
    [
      'is large and cut off',
      `{"A": [${'"feature of a library", '.repeat(20_000)}`,
      /"tree\.json" is not JSON: it ends too early/,
    ],
    ['is in Latin-1', Buffer.from('{"A": ["caf\xe9"]}', 'latin1'), /"tree\.json" is not UTF-8; save it as UTF-8/],
    ['is in UTF-16', Buffer.from('\ufeff{"A": ["b"]}', 'utf16le'), /"tree\.json" is not UTF-8; save it as UTF-8/],
    ['holds a path of 10 KB', nested(50, 'x'.repeat(200)), /"tree\.json" is more than 20 levels deep at n0x+ \/ /],
  ])('that %s is refused with its place', async (_, text, says) => {
    if (text !== null) await writeFile(join(folder, 'tree.json'), text);
    const { code, out } = await validate('knowledge: tree.json');
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`${PLACE}knowledge: ${says.source}.*\\n  expected: nested names.*\\n  fix: `));
  });

  it('whose path has 10 KB is refused, and the path is not repeated whole', async () => {
    const { code, out } = await validate(`knowledge: ${'x'.repeat(10_000)}.json`);
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`${PLACE}knowledge: "x+…?" cannot be read: the name is too long\\n`));
    expect(out.length).toBeLessThan(1_000);
  });

  it('with a cycle in the campaign file is refused as well', async () => {
    const { code, out } = await validate('knowledge: { Text: { Words: { Text: {} } } }');
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`${PLACE}knowledge: has a cycle: Text / Words / Text`));
  });
});

it('settings of another generator are refused by name', async () => {
  const { code, out } = await validate('rounds: 3, iterations: 2', 'iterative');
  expect(code).toBe(1);
  expect(out).toMatch(new RegExp(`${PLACE}rounds: the generator iterative has no such setting\\n`));
  expect(out).toContain('expected: the settings iterations, patience, purpose');
});

function nested(levels: number, tail: string): string {
  const names = Array.from({ length: levels }, (_, n) => `{"n${n}${tail}":`).join('');
  return `${names}{}${'}'.repeat(levels)}`;
}
