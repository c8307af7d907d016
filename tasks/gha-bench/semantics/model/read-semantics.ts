import {
  child,
  entriesOf,
  entryOf,
  scalarsOf,
  textOf,
  type Place,
  type ScalarNode,
  type YamlNode,
} from '../nodes/node.js';
import { readYaml } from '../nodes/read-yaml.js';
import type { Action, Job, Semantics, Step, TaskFacts, Workflow, WorkflowEvent } from './model.js';
import { possibleSteps } from './possible-steps.js';
import { usesRef } from './uses.js';

const WORKFLOW = /^\.github\/workflows\/[^/]+\.ya?ml$/;
const ACTION = /(?:^|\/)action\.ya?ml$/;

/** `files`: path -> text of a candidate. Pure; never throws. */
export function readSemantics(files: Record<string, string>, facts: Partial<TaskFacts> = {}): Semantics {
  const known: TaskFacts = { files: {}, defaultBranch: 'main', actions: {}, roles: {}, ...facts };
  const semantics: Semantics = {
    workflows: [],
    actions: [],
    problems: [],
    facts: known,
    scripts: new Map(),
    inputs: new Map(),
  };
  for (const file of Object.keys(files).sort()) readFile(semantics, file, files[file] ?? '');
  return { ...semantics, ...possibleSteps(semantics) };
}

function readFile(semantics: Semantics, file: string, text: string): void {
  if (!WORKFLOW.test(file) && !ACTION.test(file)) return;
  const { root, problem } = readYaml(file, text);
  if (!root) semantics.problems.push({ file, message: problem ?? 'the file is empty' });
  else if (WORKFLOW.test(file)) semantics.workflows.push(workflowOf(file, root));
  else semantics.actions.push(actionOf(file, root));
}

function workflowOf(file: string, root: YamlNode): Workflow {
  const name = textOf(child(root, 'name')) ?? file;
  const workflow: Workflow = { file, root, name, events: eventsOf(root), jobs: [] };
  for (const { key, keyPlace, value } of entriesOf(child(root, 'jobs'))) {
    workflow.jobs.push(jobOf(key, keyPlace, value, workflow));
  }
  return workflow;
}

function eventsOf(root: YamlNode): WorkflowEvent[] {
  const on = child(root, 'on');
  if (on?.kind === 'map') return on.entries.map(({ key, keyPlace, value }) => eventOf(key, keyPlace, value));
  return scalarsOf(on).map(({ text, place }) => ({ name: text, place }));
}

function eventOf(name: string, place: Place, value: YamlNode): WorkflowEvent {
  const isNull = value.kind === 'scalar' && value.value === null;
  return isNull ? { name, place } : { name, place, node: value };
}

function jobOf(id: string, place: Place, node: YamlNode, workflow: Workflow): Job {
  const uses = textOf(child(node, 'uses'));
  return {
    id,
    place,
    node,
    workflow,
    needs: scalarsOf(child(node, 'needs')),
    steps: stepsOf(child(node, 'steps'), id),
    ...(uses === undefined ? {} : { uses: usesRef(uses) }),
    ...conditionOf(node),
  };
}

function stepsOf(node: YamlNode | undefined, owner: string): Step[] {
  const items = node?.kind === 'list' ? node.items : [];
  return items.flatMap((item, index) => (item.kind === 'map' ? [stepOf(item, index, owner)] : []));
}

function stepOf(node: Step['node'], index: number, owner: string): Step {
  const id = textOf(child(node, 'id'));
  const name = textOf(child(node, 'name'));
  const uses = textOf(child(node, 'uses'));
  const run = child(node, 'run');
  return {
    index,
    owner,
    node,
    place: node.place,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(run?.kind === 'scalar' ? { run } : {}),
    ...(uses === undefined ? {} : { uses: usesRef(uses) }),
    ...conditionOf(node),
  };
}

function conditionOf(node: YamlNode): { if?: ScalarNode } {
  const condition = entryOf(node, 'if')?.value;
  return condition?.kind === 'scalar' && condition.value !== null ? { if: condition } : {};
}

function actionOf(file: string, root: YamlNode): Action {
  const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '';
  return { folder, file, root, steps: stepsOf(child(root, 'runs', 'steps'), folder) };
}
