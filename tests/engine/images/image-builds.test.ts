import { expect, test } from 'vitest';
import { connectDocker } from '../../../src/adapters/docker/engine/connect-docker.js';
import { packTar } from '../../../src/adapters/docker/engine/tar-archive.js';
import { runBuild } from '../../../src/adapters/docker/images/build-container.js';
import { createImages } from '../../../src/adapters/docker/images/images.js';
import { readEnvironment } from '../../../src/config/env.js';
import { ensureImages } from '../../fixtures/docker/ensure-images.js';
import { PACKAGE_ROOT } from '../../fixtures/package-root.js';

test('variables of a build, a proxy with its password among them, are no part of the image', async () => {
  const docker = connectDocker();
  const { cacheDir: cacheFolder } = readEnvironment();
  await ensureImages(cacheFolder, 'base');
  const images = createImages({ docker, packageRoot: PACKAGE_ROOT, cacheFolder, variable: () => undefined });
  const { tag } = await images.check('base');
  const proxy = `http://who:it's-$ecret@proxy:3128`;
  let built = '';
  await runBuild({
    ...{ docker, imageName: 'base', from: tag, workingDir: '/', fix: 'nothing' },
    // The script is told it, whatever characters it has.
    script: '[ "$http_proxy" = "$(cat /expected)" ] && rm /expected',
    env: { http_proxy: proxy },
    async fill(container) {
      await container.putArchive(await packTar({ expected: proxy }), { path: '/' });
    },
    async commit(container) {
      built = ((await container.commit({})) as { Id: string }).Id;
    },
  });
  const image = docker.getImage(built);
  try {
    const told = JSON.stringify([await image.inspect(), await image.history()]);
    expect(told).toContain(built);
    expect(told).not.toMatch(/http_proxy=|ecret/);
  } finally {
    await image.remove({ force: true });
  }
});
