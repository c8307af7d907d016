// Part of `npm run build`: GitHub's parser of workflows and expressions in one file, dist/vendor/workflow-parser.cjs. As
// published it cannot be imported: its modules import JSON without saying so, which Node refuses.
import { join } from 'node:path';
import { bundle } from './bundle.js';

await bundle('workflow-parser', {
  stdin: {
    contents: `
      export * as workflows from '@actions/workflow-parser';
      export * as actions from '@actions/workflow-parser/actions/index';
      export * as conversion from '@actions/workflow-parser/model/convert';
      export * as expressions from '@actions/expressions';`,
    resolveDir: join(import.meta.dirname, '..'),
  },
});
