/** Bundles the actions below /opt/actions: node build.mjs; run where npm/ and files/ are. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const OUT = '/opt/actions';
const MODULES = path.resolve('npm/node_modules');
const ESBUILD = path.join(MODULES, '@esbuild/linux-x64/bin/esbuild');
const SOURCES = path.resolve('npm/actions');

patch('upload-artifact', /mimeType: StringValue\.create\(\{ value: contentType \}\),?/, '');
patch(
  'blob-upload',
  'new BlobClient(authenticatedUploadURL)',
  "new BlobClient(authenticatedUploadURL.replace(/=+(?=&|$)/g, (sign) => '%3D'.repeat(sign.length)))",
);
// Below npm/, so that the packages are found.
fs.cpSync('files/actions/src', SOURCES, { recursive: true });
for (const name of ['setup-node', 'setup-python', 'upload-artifact', 'download-artifact', 'github-script']) {
  bundle(name, `actions/${name}/index.js`);
  describe(`actions/${name}`, 'main: index.js');
}
for (const mode of ['main', 'post', 'restore', 'save']) bundle('cache', `actions/cache/${mode}.js`, { MODE: mode });
describe('actions/cache', 'main: main.js, post: post.js, post-if: success()');
describe('actions/cache/restore', 'main: ../restore.js');
describe('actions/cache/save', 'main: ../save.js');
for (const [name, outputs] of Object.entries(JSON.parse(fs.readFileSync('files/actions/stubs.json', 'utf8')))) {
  bundle('stub', `${name}/index.js`, { NAME: path.basename(name), OUTPUTS: outputs });
  describe(name, 'main: index.js');
}

/** @actions/artifact as act's server takes it: no field it does not know, and a signature whose padding is not lost. */
function patch(name, find, replace) {
  const file = path.join(MODULES, `@actions/artifact/lib/internal/upload/${name}.js`);
  const text = fs.readFileSync(file, 'utf8');
  const changed = text.replace(find, replace);
  if (changed === text) throw new Error(`${file} is not as it was`);
  fs.writeFileSync(file, changed);
}

function bundle(source, to, constants = {}) {
  const defined = Object.entries(constants).map(([name, value]) => `--define:${name}=${JSON.stringify(value)}`);
  execFileSync(ESBUILD, [
    path.join(SOURCES, `${source}.mjs`),
    ...['--bundle', '--platform=node', '--target=node20', '--format=esm', '--minify', '--log-level=error'],
    `--outfile=${path.join(OUT, to.replace(/\.js$/, '.mjs'))}`,
    "--banner:js=import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);import{fileURLToPath as __fp}from'node:url';import{dirname as __dn}from'node:path';const __filename=__fp(import.meta.url),__dirname=__dn(__filename);",
    ...defined,
  ]);
}

/** Without its inputs: what is given is handed on, and nothing has a default that the sources do not know. */
function describe(name, runs) {
  const file = path.join(OUT, name, 'action.yml');
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const text = { name, description: name, runs: `{ using: node20, ${runs.replaceAll('.js', '.mjs')} }` };
  fs.writeFileSync(
    file,
    Object.entries(text)
      .map(([key, value]) => `${key}: ${value}\n`)
      .join(''),
  );
}
