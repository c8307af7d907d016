// Part of `npm run build`: the program that looks at a candidate of GHA-Bench, in one file beside its modules. Every look starts it
// anew, twice a trial; one file starts in half the time of two hundred.
import { join } from 'node:path';
import { bundle } from './bundle.js';

const folder = join(import.meta.dirname, '..', 'dist', 'tasks', 'gha-bench', 'grading');

await bundle('grading-child', {
  ...{ entryPoints: [join(folder, 'child-main.js')], outfile: join(folder, 'child-bundle.js'), format: 'esm' },
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
});
