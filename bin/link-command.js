// `npx durabench` looks in node_modules/.bin first. npm links the commands of dependencies there, not the project's
// own; without this link npx packs and installs the project into its cache, which fails without a registry.
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const link = join(root, 'node_modules', '.bin', 'durabench');
mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
chmodSync(join(root, 'bin', 'durabench.js'), 0o755);
rmSync(link, { force: true });
symlinkSync(join('..', '..', 'bin', 'durabench.js'), link);
