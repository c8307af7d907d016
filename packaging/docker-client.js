// Third part of `npm run build`: dockerode in one file, dist/vendor/dockerode.cjs. As a dependency it would bring ssh2 and
// cpu-features, which a user's npm compiles (or fails to), and gRPC for builds that nothing here asks for; overrides of
// this package.json would hold for a clone alone, not for whoever installs the package.
import { cp, mkdir } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const vendor = join(root, 'dist', 'vendor');
const absent = join(import.meta.dirname, 'absent.cjs');
await mkdir(vendor, { recursive: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['node_modules/dockerode/lib/docker.js'],
  outfile: join(vendor, 'dockerode.cjs'),
  ...{ bundle: true, platform: 'node', target: 'node20', format: 'cjs', metafile: true, logLevel: 'warning' },
  alias: {
    ssh2: join(import.meta.dirname, 'no-ssh.cjs'),
    ...{ '@grpc/grpc-js': absent, '@grpc/proto-loader': absent, protobufjs: absent },
  },
});

// Their licences ask to go along.
const packages = new Set(
  Object.keys(metafile.inputs).flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
);
for (const name of packages) {
  const folder = join(root, 'node_modules', name);
  if (!existsSync(folder)) continue;
  const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (license !== undefined) await cp(join(folder, license), join(vendor, 'licenses', `${name.replace('/', '-')}.txt`));
}
