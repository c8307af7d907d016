import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/env.js';
import {
  BENCHMARK_PROJECTS,
  projectImage,
  readDependencies,
  readProjectSettings,
} from '../../tasks/repocraft/dataset/project-settings.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { purposeOf } from '../../tasks/repocraft/generators/purposes.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';

/** Whether each of the names can be imported, and every path of the container that begins with one, however it is spelled. */
const SEARCH = `import importlib.util, json, os, sys
def below(root):
    for folder, folders, files in os.walk(root):
        # Not into /proc: a process that ends meanwhile ends the search.
        folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys")]
        yield from ((name, os.path.join(folder, name)) for name in folders + files)
plain = lambda name: name.lower().replace("-", "_")
paths = [(plain(name), path) for name, path in below("/")]
print(json.dumps({name: [importlib.util.find_spec(name) is not None,
    [path for file, path in paths if file.startswith(plain(name))]] for name in sys.argv[1:]}))`;

type Found = Record<string, [isImported: boolean, paths: string[]]>;

test.for(BENCHMARK_PROJECTS)('the reference of %s is not in the image its tests run in', async (project) => {
  const suiteFolder = join(PACKAGE_ROOT, 'tasks', 'repocraft');
  const { pin, settings } = await readProjectSettings(project, suiteFolder);
  const [tag = ''] = await ensureImages(readEnvironment().cacheDir, projectImage(project));
  const reference = [settings.package, pin.name];
  const dependencies = (await readDependencies(project, suiteFolder)) ?? [];
  const { stdout } = await promisify(execFile)('docker', [
    ...['run', '--rm', '--network', 'none', tag, 'python3', '-c', SEARCH, ...reference, ...dependencies],
  ]);
  const found = JSON.parse(stdout) as Found;
  for (const name of reference) expect(found[name], name).toEqual([false, []]);
  // The search finds what is there.
  const there = dependencies.filter((name) => found[name]?.[0] === true && found[name][1].length > 0);
  expect(there).not.toEqual([]);
});

/** What of these packages, by the names they are published under, is not installed. */
const ABSENT = `import importlib.metadata, json, sys
there = {name.lower().replace("_", "-") for found in importlib.metadata.distributions() if (name := found.metadata["Name"])}
print(json.dumps([name for name in sys.argv[1:] if name not in there]))`;

test.for(BENCHMARK_PROJECTS)('what systems are told they may use for %s is in the image', async (project) => {
  const [tag = ''] = await ensureImages(readEnvironment().cacheDir, projectImage(project));
  const system = { options: {} } as Parameters<typeof purposeOf>[0]['system'];
  const { dependencies } = purposeOf({ scope: project, system });
  const { stdout } = await promisify(execFile)('docker', [
    ...['run', '--rm', '--network', 'none', tag, 'python3', '-c', ABSENT, ...dependencies, 'no-such-package'],
  ]);
  expect(JSON.parse(stdout)).toEqual(['no-such-package']);
});
