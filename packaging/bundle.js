import { cp, mkdir } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const vendor = join(root, 'dist', 'vendor');

/** Libraries in one file, dist/vendor/NAME.cjs, with their licences, which ask to go along. */
export async function bundle(name, options) {
  await mkdir(vendor, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    outfile: join(vendor, `${name}.cjs`),
    ...{ bundle: true, platform: 'node', target: 'node20', format: 'cjs', metafile: true, logLevel: 'warning' },
    ...options,
  });
  const packages = new Set(
    Object.keys(metafile.inputs).flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  for (const library of packages) {
    const folder = join(root, 'node_modules', library);
    if (!existsSync(folder)) continue;
    const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
    if (license === undefined) continue;
    await cp(join(folder, license), join(vendor, 'licenses', `${library.replace('/', '-')}.txt`));
  }
}
