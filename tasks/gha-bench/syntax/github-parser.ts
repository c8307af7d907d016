import { createRequire } from 'node:module';
import type * as expressions from '@actions/expressions';
import type * as workflows from '@actions/workflow-parser';
import type * as actions from '@actions/workflow-parser/actions/index';
import type * as conversion from '@actions/workflow-parser/model/convert';

/** GitHub's own parsers: of workflows, of action files, and of expressions. */
export interface GitHubParser {
  workflows: typeof workflows;
  actions: typeof actions;
  conversion: typeof conversion;
  expressions: typeof expressions;
}

/** As `npm run build` bundles them (packaging/workflow-parser.js says why). */
const BUNDLE = `../../..${import.meta.url.endsWith('.ts') ? '/dist' : ''}/vendor/workflow-parser.cjs`;

/** Loaded when first asked for: commands that grade nothing start without it. */
export function githubParser(): GitHubParser {
  return createRequire(import.meta.url)(BUNDLE) as GitHubParser;
}
