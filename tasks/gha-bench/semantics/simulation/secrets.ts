import { expressionsOf } from '../expressions/template.js';
import type { Semantics } from '../model/model.js';
import { allScalars } from '../nodes/node.js';
import type { Scenario } from './scenario.js';

const known = new WeakMap<Semantics, string[]>();

/** Values of the secrets that a run can read. A pull request from a fork has none but its own weak token. */
export function secretsOf(semantics: Semantics, { on, secrets }: Scenario): Record<string, string> {
  const names = on.event === 'pull_request' && on.fork ? [] : (secrets ?? namedSecrets(semantics));
  return Object.fromEntries(['GITHUB_TOKEN', ...names].map((name) => [name, `secret-${name}`]));
}

/** Every name that an expression reads. */
function namedSecrets(semantics: Semantics): string[] {
  const found = known.get(semantics) ?? readNames(semantics);
  known.set(semantics, found);
  return found;
}

function readNames({ workflows }: Semantics): string[] {
  const expressions = workflows.flatMap(({ root }) => allScalars(root).flatMap(expressionsOf));
  const paths = expressions.flatMap((expression) => expression.paths);
  return [...new Set(paths.flatMap(([context, name]) => (context === 'secrets' && name ? [name] : [])))];
}
