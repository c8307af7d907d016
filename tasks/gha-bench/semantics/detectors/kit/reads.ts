import type { ContextPath, Expression } from '../../expressions/expression.js';
import { conditionOf, expressionsOf } from '../../expressions/template.js';
import { allJobs, allSteps } from '../../model/lookup.js';
import type { Job, Semantics, Step } from '../../model/model.js';
import { allScalars, entriesOf, type Place, type ScalarNode, type YamlNode } from '../../nodes/node.js';

/** An expression and where it stands. */
export interface PlacedExpression {
  expression: Expression;
  place: Place;
}

/** All expressions below a node, conditions included. */
export function expressionsIn(node: YamlNode | undefined): PlacedExpression[] {
  const written = allScalars(node).flatMap((scalar) =>
    expressionsOf(scalar).map((expression) => ({ expression, place: scalar.place })),
  );
  return [...written, ...bareConditions(node)];
}

function bareConditions(node: YamlNode | undefined): PlacedExpression[] {
  if (node?.kind === 'list') return node.items.flatMap(bareConditions);
  return entriesOf(node).flatMap(({ key, value }) => {
    const bare = key === 'if' && value.kind === 'scalar' && value.value !== null && !value.text.includes('${{');
    return bare ? [{ expression: conditionOf(value), place: value.place }] : bareConditions(value);
  });
}

export interface PlacedPath {
  path: ContextPath;
  place: Place;
}

export function pathsIn(node: YamlNode | undefined): PlacedPath[] {
  return expressionsIn(node).flatMap(({ expression, place }) => expression.paths.map((path) => ({ path, place })));
}

/** Of workflows and local actions. */
export function allPaths({ workflows, actions }: Semantics): PlacedPath[] {
  return [...workflows, ...actions].flatMap(({ root }) => pathsIn(root));
}

/** Whether a path begins with these keys; `*` as a key is any. */
export function begins(path: ContextPath, ...keys: string[]): boolean {
  return keys.every((key, at) => key === '*' || path[at]?.toLowerCase() === key.toLowerCase());
}

/** Conditions of jobs and steps. */
export function allConditions(semantics: Semantics): { condition: ScalarNode; owner: Job | Step }[] {
  const owners = [...allJobs(semantics), ...allSteps(semantics)];
  return owners.flatMap((owner) => (owner.if ? [{ condition: owner.if, owner }] : []));
}

/** Whether a condition's value never changes: nothing is read, or text around its expression makes a string of it. */
export function isConstant(condition: ScalarNode): boolean {
  const text = condition.text.trim();
  if (text.includes('${{') && !(text.startsWith('${{') && text.endsWith('}}'))) return true;
  if (expressionsOf(condition).length > 1) return true;
  const { paths, functions, ast } = conditionOf(condition);
  return ast !== undefined && paths.length === 0 && !functions.some((name) => STATEFUL.includes(name));
}

const STATEFUL = ['success', 'failure', 'cancelled', 'always', 'hashfiles'];
