import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pythonFolder } from './python-folder.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'python-folder-'));
  for (const path of ['source.py', 'phrases/names.py', 'phrases/names.json', '__pycache__/source.cpython-311.pyc']) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), path);
  }
});

afterEach(() => rmSync(folder, { recursive: true }));

it('takes the Python files of a folder and of the folders in it, and nothing else', async () => {
  const files = await pythonFolder(folder, 'tool');
  expect([...files].map(([path, bytes]) => [path, bytes.toString()])).toEqual([
    ['tool/phrases/names.py', 'phrases/names.py'],
    ['tool/source.py', 'source.py'],
  ]);
});

it('names them by their path alone where there is no prefix', async () => {
  expect([...(await pythonFolder(folder)).keys()]).toEqual(['phrases/names.py', 'source.py']);
});
