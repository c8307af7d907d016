// `npm pack` and `npm publish` run this before (`prepack`) and after (`postpack`): the packed package.json has the command
// and lacks what only a clone needs. A clone has no `bin`: with one, `npx durabench` in it would install the whole project
// into npx's cache first (bin/link-command.js). What an older build left in dist goes: it would be packed.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const manifest = join(root, 'package.json');
const kept = join(root, 'dist', 'package.json.kept');

// What a pack that was killed left behind is put back first, whichever is asked for.
if (existsSync(kept)) renameSync(kept, manifest);
if (process.argv[2] === 'pack') {
  for (const folder of ['src', 'workflows', 'activities', 'tasks']) removeStale(folder);
  const text = readFileSync(manifest, 'utf8');
  const {
    private: _private,
    scripts: _scripts,
    devDependencies: _dev,
    overrides: _overrides,
    allowScripts: _allowScripts,
    ...rest
  } = JSON.parse(text);
  writeFileSync(kept, text);
  const packed = { ...rest, bin: { durabench: 'bin/durabench.js' } };
  writeFileSync(manifest, `${JSON.stringify(packed, null, 2)}\n`);
}

/** Compiled files whose source is gone. */
function removeStale(folder) {
  for (const file of readdirSync(join(root, 'dist', folder), { recursive: true, encoding: 'utf8' })) {
    const [source] = file.split(/\.(?:js|d\.ts)(?:\.map)?$/);
    if (source === file || existsSync(join(root, folder, `${source}.ts`))) continue;
    rmSync(join(root, 'dist', folder, file));
  }
}
