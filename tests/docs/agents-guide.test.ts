import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '../../src/contract/status.js';
import { listRecipes, loadRecipe, recipeFolders } from '../../src/adapters/docker/images/image-recipe.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import { pageBlocks } from '../fixtures/cli/page-blocks.js';
import { pageReader, type PageReader } from '../fixtures/cli/page-reader.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { TEXTKIT } from '../fixtures/zerorepo/textkit-project.js';

// The guide to agents of one's own, file by file and command by command, as somebody does who has the package and no clone. Only the
// endpoint is another: the scripted model, which answers with a module of the library.

const blocks = pageBlocks('docs/guides/agents.md');
const [commands, ...others] = blocks.filter(({ commands: typed }) => typed.length > 0);
let reader: PageReader;
let model: ScriptedModelServer;

beforeAll(async () => {
  const module = await readFile(join(TEXTKIT, 'src', 'textkit', 'tokenizing.py'), 'utf8');
  model = await startScriptedModelServer({ rules: { rules: [{ match: {}, template: module }] } });
  reader = await pageReader({ variables: { OPENAI_API_KEY: 'key-of-a-reader' } });
  for (const { text } of blocks) {
    const [, path] = /^# ([\w./-]+\/[\w.-]+|agents\.yaml)$/m.exec(text) ?? [];
    if (path === undefined) continue;
    await mkdir(dirname(join(reader.folder, path)), { recursive: true });
    await writeFile(join(reader.folder, path), text.replace('https://api.openai.com/v1', model.url));
  }
});

afterAll(async () => {
  await reader?.close();
  await model?.close();
});

test('a program of the reader becomes an image, then a candidate that is graded; no key goes into the container', async () => {
  expect(others).toEqual([]);
  await reader.type('npx durabench up');
  await reader.follow(commands!);
  const status = JSON.parse(await reader.type('npx durabench status latest --json')) as StatusReport;
  expect(status).toMatchObject({ campaign: { status: 'completed' }, trials: { planned: 2, done: 2 } });
  expect(status).toMatchObject({ spend: { calls: 1, replayed_calls: 0 } });
  expect(model.requests).toHaveLength(1);
  expect(model.requests[0]).toMatchObject({ purpose: 'generate', stream: true, status: 200 });
});

test('its recipe is listed, and what cannot be one is told before anything is built', async () => {
  expect(await reader.type('npx durabench images check my-agent')).toMatch(/my-agent.*MiB/);
  const build = (folder: string): Promise<string> => reader.type(`npx durabench images build ./${folder}`);
  await expect(build('agents')).rejects.toThrow(/there is no agents\/recipe\.yaml[^]*expected: [^]*fix: /);
  const wrong = async (text: string): Promise<string> => {
    await mkdir(join(reader.folder, 'wrong'), { recursive: true });
    await writeFile(join(reader.folder, 'wrong', 'recipe.yaml'), text);
    return build('wrong');
  };
  const recipe = 'kind: composed\nbase: base\nbuild: "true"\n';
  await expect(wrong(`name: base\n${recipe}`)).rejects.toThrow(/"base" is a recipe that comes along/);
  await expect(wrong(`name: wrong\n${recipe}ports: [1]\n`)).rejects.toThrow(/recipe\.yaml:5:1: unknown key "ports"/);
  await expect(wrong(`name: wrong\n${recipe.replace('base: base', 'base: basis')}`)).rejects.toThrow(
    /no image recipe "basis"/,
  );
  await expect(wrong('name: [')).rejects.toThrow(/recipe\.yaml:\d+:\d+: not valid YAML/);
  await expect(wrong(`name: wrong\n${recipe.replace('"true"', '"exit 7"')}`)).rejects.toThrow(/its build ended with 7/);
  await rm(join(reader.folder, 'wrong'), { recursive: true });
});

test('recipes that come along are whole in the package: their digests are those of the clone', async () => {
  const clone = recipeFolders(PACKAGE_ROOT);
  const installed = recipeFolders(join(reader.folder, 'node_modules', 'durabench'));
  const names = await listRecipes(clone);
  const digests = (folders: string[]): Promise<string[]> =>
    Promise.all(names.map(async (name) => (await loadRecipe(folders, name)).digest));
  expect(await digests(installed)).toEqual(await digests(clone));
});
