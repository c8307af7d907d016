import { mkdtemp, open, readdir, readFile, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openContext } from '../../../client/open-context.js';
import { initCampaign, type InitRequest } from '../../../client/plans/init-campaign.js';
import { validateCampaign } from '../../../client/plans/validate-campaign.js';
import { ownSuites } from '../../../suite/registry.js';
import { runCommandLine } from '../../program.js';
import { askOpen } from './init.js';

const SUITES = (await ownSuites()).map(({ manifest }) => manifest.id);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-init-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const variables = () => ({ HOME: folder, PATH: '', DURABENCH_HOME: join(folder, 'state') });
const context = () => openContext({ folder, variables: variables(), onEvent: () => undefined });

async function durabench(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const end = { stdout: '', stderr: '' };
  const code = await runCommandLine({
    ...{ argv, cwd: folder, variables: variables() },
    stdout: { write: (text) => (end.stdout += text) },
    stderr: { write: (text) => (end.stderr += text) },
  });
  return { code, ...end };
}

const MODEL = { name: 'null', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'MY_KEY', price: { input: 1, output: 2 } };

describe('a campaign file that init writes', () => {
  it.each(SUITES)('is valid for %s', async (suite) => {
    for (const [file, request] of Object.entries<Partial<InitRequest>>({
      'plain.yaml': {},
      'asking.yaml': { model: MODEL, tasks: 1, usd: 0.5, name: 'mine' },
    })) {
      const written = await initCampaign(context(), file, { suite, ...request });
      const { systems, config } = await validateCampaign(context(), file);
      expect(systems).toEqual(written.systems);
      expect(systems.length).toBeGreaterThan(1);
      expect(config.includes('base_url')).toBe(request.model !== undefined);
      if (request.model) expect(config).toMatch(/name: mine[^]*name: "null"[^]*api_key_env: MY_KEY[^]*usd: 0\.5/);
      expect(
        (await readFile(join(folder, file), 'utf8')).split('\n').filter((line) => line.includes('#')).length,
      ).toBeGreaterThan(8);
    }
  });

  it('takes the place of no other', async () => {
    await writeFile(join(folder, 'campaign.yaml'), 'mine');
    const { code, stderr } = await durabench('init', '--suite', 'echo');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: campaign\.yaml exists already\n {2}expected: .*\n {2}fix: .*init other\.yaml\n$/);
    expect(await readFile(join(folder, 'campaign.yaml'), 'utf8')).toBe('mine');
  });

  it('is told with 5 where it cannot be written', async () => {
    await writeFile(join(folder, 'a-file'), '');
    const { code, stderr } = await durabench('init', 'a-file/a.yaml', '--suite', 'echo');
    expect(stderr).toMatch(/^error: a-file\/a\.yaml cannot be written: a part of the path is not a folder\n/);
    expect(stderr).toMatch(/\n {2}fix: name another one: durabench init other\.yaml\n$/);
    expect(code).toBe(5);
  });

  it('is not there at all where the disk is full', async () => {
    const handle = await open(folder);
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    const write = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'writeFile').mockRejectedValue(full);
    const { code, stderr } = await durabench('init', '--suite', 'echo').finally(() => write.mockRestore());
    await handle.close();
    expect(stderr).toMatch(/^error: campaign\.yaml cannot be written: the disk is full\n/);
    expect(code).toBe(5);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is told as a document, with what to do next on stderr', async () => {
    const { code, stdout, stderr } = await durabench('init', 'a.yaml', '--suite', 'echo', '--tasks', '3', '--json');
    expect(code).toBe(0);
    const written = { file: 'a.yaml', name: 'echo-first', suite: 'echo', systems: ['perfect', 'noise'] };
    expect(JSON.parse(stdout)).toEqual({ version: 2, ...written });
    expect(stderr).toContain('durabench validate a.yaml');
    expect(await readFile(join(folder, 'a.yaml'), 'utf8')).toContain('dataset: { tasks: 3 }');
  });

  it('is not written where something is wrong: all of it is told, by option', async () => {
    const wrong = ['--model', 'm', '--price', 'x', '--project', 'nope', '--name', 'A B'];
    const { code, stderr } = await durabench('init', 'a.yaml', '--suite', 'repocraft', ...wrong);
    expect(code).toBe(1);
    for (const option of ['--price', '--project', '--name']) expect(stderr).toContain(`error: init: ${option}`);
    await expect(readFile(join(folder, 'a.yaml'))).rejects.toThrow('ENOENT');
  });

  it('needs a suite where nobody can be asked, and says that a model without a price is taken for free', async () => {
    expect((await durabench('init')).stderr).toContain('fix: durabench init --suite echo');
    expect((await durabench('init', '--suite', 'echo', '--model', 'm')).stderr).toContain('warning: price is free');
  });
});

describe('what init asks on a terminal', () => {
  const answers = (given: Record<string, string>) => {
    const asked: string[] = [];
    const question = async (what: string, usual: string): Promise<string> => {
      asked.push(what.split('\n').at(-1)!);
      return Object.entries(given).find(([part]) => what.includes(part))?.[1] ?? usual;
    };
    return { asked, question };
  };
  const suites = [{ id: 'echo', title: 'Echo' }];
  const usual = { baseUrl: 'https://api.openai.com/v1', price: 'free', usd: '5' };

  it('is what the options leave open', async () => {
    const { asked, question } = answers({ model: 'gpt-4o-mini', NAME: 'none', million: '1,2' });
    expect(await askOpen({ ...usual, tasks: '3' }, suites, question)).toEqual({
      ...{ ...usual, suite: 'echo', tasks: '3', model: 'gpt-4o-mini', price: '1,2' },
    });
    expect(asked).toHaveLength(6);
  });

  it('is nothing of a model where none is named, or an option names it', async () => {
    const none = answers({});
    expect(await askOpen(usual, suites, none.question)).toEqual({ ...usual, suite: 'echo', tasks: '10' });
    expect(none.asked).toHaveLength(3);
    const named = answers({});
    await askOpen({ ...usual, model: 'm', suite: 'echo' }, suites, named.question);
    expect(named.asked).toEqual(['tasks of each project']);
  });
});
