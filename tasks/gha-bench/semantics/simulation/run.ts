import { isTrue, type Surroundings } from '../expressions/evaluate.js';
import { asksForStatus } from '../expressions/expression.js';
import { parseTemplate, soleExpression, templateOf } from '../expressions/template.js';
import type { Semantics, Workflow } from '../model/model.js';
import { entriesOf, type ScalarNode, type YamlNode } from '../nodes/node.js';
import { filled, filledText } from './legs.js';
import type { StepResult } from './run-result.js';
import type { Choices } from './choices.js';
import type { Scenario } from './scenario.js';

export type Json = Record<string, unknown>;

/** What all jobs of a run share. */
export interface Run {
  semantics: Semantics;
  workflow: Workflow;
  scenario: Scenario;
  github: Json;
  inputs: Json;
  secrets: Record<string, string>;
  /** Counted down over the whole run; below zero the run is given no result. */
  budget: { steps: number; cancelled: boolean };
  /** What steps hand on that nobody knows beforehand. */
  choices: Choices;
  level: number;
}

/**
 * An `if`: with no status function in it, what came before must have succeeded. Text around `${{ }}` makes a string of it,
 * which is true. Throws `NoValue`.
 */
export function holds(condition: ScalarNode | undefined, surroundings: Surroundings): boolean {
  const success = surroundings.status?.success ?? true;
  if (!condition) return success;
  const template = condition.text.includes('${{') ? templateOf(condition) : parseTemplate(`\${{${condition.text}}}`);
  const sole = soleExpression(template);
  if (!sole) return success && condition.text !== '';
  return asksForStatus(sole) ? isTrue(sole, surroundings) : success && isTrue(sole, surroundings);
}

/** Entries see what was there before the map, not each other. */
export function environment(
  node: YamlNode | undefined,
  surroundings: Surroundings,
  before: Record<string, string>,
): Record<string, string> {
  const env = { ...before };
  const within = { ...surroundings, contexts: { ...surroundings.contexts, env: before } };
  for (const { key, value } of entriesOf(node)) {
    if (value.kind === 'scalar') env[key] = filledText(value.text, within);
  }
  return env;
}

/** A flag that may be an expression. Throws `NoValue`. */
export function flag(node: YamlNode | undefined, surroundings: Surroundings, otherwise: boolean): boolean {
  return node ? String(filled(node, surroundings)) === 'true' : otherwise;
}

export function stepContexts(steps: StepResult[]): Json {
  const withIds = steps.filter(({ step }) => step.id !== undefined);
  const contexts = withIds.map(({ step, ...result }): [string, Json] => {
    return [step.id ?? '', { outputs: result.outputs, outcome: result.outcome, conclusion: result.conclusion }];
  });
  return Object.fromEntries(contexts);
}
