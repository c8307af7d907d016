import { existsSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '../../../domain/text/content-hash.js';
import { pipDownload, type PipDownload } from './pip-download.js';
import { waitUntil } from '../../../../tests/fixtures/wait-until.js';

// A script stands for the host's Python, so that what pip says and does can be chosen; pip itself is in tests/adapters/package-index.test.ts.

const FILE = sha256Hex('a wheel\n');

/** A program that finds pip's `-d` folder in $folder and runs these lines. */
async function program(lines: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'pip-script-')), 'python3');
  await writeFile(path, `#!/bin/sh\nfor word in "$@"; do folder=$word; done\n${lines}\n`, { mode: 0o755 });
  return path;
}

async function asked(lines: string | null, more: Partial<PipDownload> = {}) {
  const container = vi.fn(() => Promise.reject(new Error('no engine here')));
  const files = pipDownload({
    requirements: `tinylib==1.0 --hash=sha256:${FILE}\n`,
    kind: ['--only-binary=:all:'],
    hostPython: lines === null ? 'no-such-python' : await program(lines),
    hostVariables: { PATH: process.env['PATH'] ?? '' },
    container,
    onProgress: () => undefined,
    ...more,
  });
  return { result: await files.catch((error: unknown) => error), container };
}

describe('downloading with pip', () => {
  it('takes what the host’s pip brought, and asks for no container', async () => {
    const { result, container } = await asked('mkdir "$folder" && echo "a wheel" > "$folder/t.whl"');
    expect(result).toEqual(new Map([['t.whl', Buffer.from('a wheel\n')]]));
    expect(container).not.toHaveBeenCalled();
  });

  it('starts the host’s pip with what it is given and nothing else of the environment', async () => {
    const told = join(await mkdtemp(join(tmpdir(), 'pip-told-')), 'told');
    vi.stubEnv('SENTINEL_KEY', 'a key');
    const hostVariables = { PATH: process.env['PATH'] ?? '', PIP_INDEX_URL: 'http://index' };
    await asked(`env > ${told}; exit 1`, { hostVariables }).finally(() => vi.unstubAllEnvs());
    const names = (await readFile(told, 'utf8')).split('\n').map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'PIP_INDEX_URL', 'TMPDIR']));
    expect(names).not.toContain('SENTINEL_KEY');
  });

  it('checks the hash itself, whatever pip accepted', async () => {
    const { result } = await asked('mkdir "$folder" && echo "other" > "$folder/t.whl"');
    expect(result).toMatchObject({ name: 'DownloadError', mismatch: `t.whl: ${sha256Hex('other\n')}` });
  });

  it('names both ways when neither worked, with what each said', async () => {
    const absent = await asked(null);
    expect(String(absent.result)).toMatch(
      /host: no-such-python cannot be started: .*ENOENT; pip in a container: no engine/,
    );
    const pipless = await asked('echo "/usr/bin/python3: No module named pip" >&2; exit 1');
    expect(String(pipless.result)).toMatch(/host: .*No module named pip; pip in a container: no engine/);
    expect(pipless.container).toHaveBeenCalledOnce();
  });

  it('does not look for a second way when the index serves other bytes', async () => {
    const { result, container } = await asked('echo "DO NOT MATCH THE HASHES\n  Got   abc123" >&2; exit 1');
    expect(result).toMatchObject({ name: 'DownloadError', mismatch: 'abc123' });
    expect(container).not.toHaveBeenCalled();
  });

  it('throws the reason of an abort, before and during pip, and never calls it a missing Python', async () => {
    const reason = new Error('the user stopped it');
    expect((await asked(null, { signal: AbortSignal.abort(reason) })).result).toBe(reason);
    const mark = join(await mkdtemp(join(tmpdir(), 'pip-mark-')), 'started');
    const control = new AbortController();
    const running = asked(`touch ${mark}; exec sleep 60`, { signal: control.signal });
    await waitUntil(() => existsSync(mark));
    control.abort(reason);
    const { result, container } = await running;
    expect(result).toBe(reason);
    expect(container).not.toHaveBeenCalled();
  });
});
