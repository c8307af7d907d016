// `npx durabench` in a clone: npm links the commands of dependencies into node_modules/.bin, not the project's own. With
// a `bin` field in package.json npx would install the whole project into its cache first (84 s here, and the network is
// needed); with this link and no `bin` field it starts at once.
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const link = join(root, 'node_modules', '.bin', 'durabench');
mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
chmodSync(join(root, 'bin', 'durabench.js'), 0o755);
rmSync(link, { force: true });
symlinkSync(join('..', '..', 'bin', 'durabench.js'), link);
