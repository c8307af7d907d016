import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package, from source and from `dist/` alike: where python/, prompts/ and deploy/ are read. */
export function packageRoot(moduleUrl: string): string {
  let folder = dirname(fileURLToPath(moduleUrl));
  while (!existsSync(join(folder, 'package.json'))) {
    if (dirname(folder) === folder) throw new Error(`no package.json above ${fileURLToPath(moduleUrl)}`);
    folder = dirname(folder);
  }
  return folder;
}
