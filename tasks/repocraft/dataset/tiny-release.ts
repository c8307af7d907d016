import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../../src/contract/json.js';
import type { RepocraftTask } from './repocraft-task.js';

/** What `python/dataset` answers to `plan`. */
export interface TinyPlan {
  harvested: number;
  dropped: Record<string, { rule: string; detail: string }>;
  drafts: Omit<RepocraftTask, 'id' | 'category'>[];
  unsampled: number;
}

/** A release of an invented library, written for tests of the dataset's Python; run by the host's python3. */
export interface TinyRelease {
  plan(overrides?: JsonObject, settings?: JsonObject): TinyPlan;
  number(drafts: TinyPlan['drafts'], settings?: JsonObject): RepocraftTask[];
  extract(tasks: readonly RepocraftTask[]): RepocraftTask[];
}

const TOOL = fileURLToPath(new URL('../python/dataset', import.meta.url));

const SETTINGS = {
  project: 'tinylib',
  package: 'tinylib',
  packageRoot: 'src',
  packageFolders: ['tinylib'],
  testsRoot: '.',
  testModules: '^tests(\\.|$)',
  testFiles: '^tests/test_[a-z_]+\\.py$',
  shimFolder: 'tinylib',
  shimFixtures: 'fixtures.py',
  prelude: null,
  preludeUnless: '',
  shimModules: { 'tinylib.compat': 'compat_names.py' },
  shimLibraries: {},
  hiddenModules: [],
  formatFiles: null,
  namesInStrings: false,
  pluginFixtures: { mocker: 'pytest_mock' },
  networkNames: ['TARPIT'],
  serverNames: ['serving'],
  plumbing: [],
  notTargets: null,
  givingAway: ['tinylib', 'kettle'],
  replacements: { tinylib: 'the library' },
  categoryBy: 'module',
  groupWords: 1,
  largestGroup: 4,
  seed: 7,
  pool: 0,
  size: 0,
};

/** Writes the files (path → text; `shims/…` become the project's shims) and offers the tool's three modes on them. */
export function tinyRelease(files: Record<string, string>): TinyRelease {
  const folder = mkdtempSync(join(tmpdir(), 'tiny-release-'));
  const shims = { 'shims/fixtures.py': '', 'shims/compat_names.py': '' };
  for (const [path, text] of Object.entries({ ...shims, ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const ask = (request: object, settings: JsonObject = {}): unknown => {
    const input = JSON.stringify({ ...request, settings: { ...SETTINGS, ...settings } });
    const result = spawnSync('python3', ['-B', TOOL, folder, join(folder, 'shims')], { input, encoding: 'utf8' });
    if (result.error !== undefined) throw result.error;
    if (result.status !== 0) throw new Error(result.stderr);
    return JSON.parse(result.stdout);
  };
  return {
    plan: (overrides = {}, settings = {}) => ask({ mode: 'plan', overrides }, settings) as TinyPlan,
    number: (drafts, settings) => (ask({ mode: 'number', drafts }, settings) as { tasks: RepocraftTask[] }).tasks,
    extract: (tasks) => {
      const locked = tasks.map((task) => ({ ...task, file: task.source.file }));
      return (ask({ mode: 'extract', locked }) as { tasks: RepocraftTask[] }).tasks;
    },
  };
}
