// Part of `npm run build`: the libraries that draw the charts of reports in one file, dist/vendor/charts.js. As dependencies
// they would be 70 packages and 24 MiB for every user; bundled they are 0.8 MB.
import { join } from 'node:path';
import { bundle } from './bundle.js';

await bundle('charts', {
  stdin: {
    contents: `
      export * as vega from 'vega';
      export { compile } from 'vega-lite';`,
    resolveDir: join(import.meta.dirname, '..'),
  },
  // They wait at their top for a canvas that may be installed; SVG needs none.
  ...{ format: 'esm', outfile: 'dist/vendor/charts.js', external: ['canvas'], minify: true },
});
