import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { expect, it, vi } from 'vitest';
import { obtainDebian } from './base-image.js';
import { UserError } from '../../../domain/failure/user-error.js';

it('a bootstrap is started with what it needs to download, and with no key', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bootstrap-'));
  try {
    const told = join(folder, 'told');
    await writeFile(join(folder, 'mmdebstrap'), `#!/bin/sh\nenv > ${told}\nexit 1\n`, { mode: 0o755 });
    vi.stubEnv('SENTINEL_KEY', 'a key');
    const given: Record<string, string> = {
      ...{ PATH: `${folder}:/usr/bin:/bin`, https_proxy: 'http://proxy', SENTINEL_KEY: 'a key' },
    };
    const made = obtainDebian({
      docker: { pull: () => Promise.reject(new Error('no registry')) } as unknown as Docker,
      recipe: {
        ...{ kind: 'debian', name: 'base', pull: 'debian:12', env: {} },
        bootstrap: { suite: 'bookworm', packages: ['python3'], exclude: [] },
      },
      ...{ cacheFolder: folder, variable: (name) => given[name], onProgress: () => undefined },
    });
    await expect(made).rejects.toThrow(UserError);
    const names = (await readFile(told, 'utf8')).split('\n').map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'https_proxy']));
    expect(names).not.toContain('SENTINEL_KEY');
  } finally {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  }
});
