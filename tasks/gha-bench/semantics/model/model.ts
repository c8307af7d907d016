import type { MapNode, Place, ScalarNode, YamlNode } from '../nodes/node.js';
import type { UsesRef } from './uses.js';
import type { SelectorFields } from './selector-fields.js';

/** What a task knows beside the candidate's files. */
export interface TaskFacts {
  /** Path in the repository -> text, or null where the text is not at hand. */
  files: Record<string, string | null>;
  defaultBranch: string;
  /** `owner/repo` or `owner/repo/path`, lower case -> what the action takes; an action that is not listed is not judged. */
  actions: Record<string, ActionFacts>;
  /** What the task calls jobs and steps. */
  roles: Record<string, SelectorFields>;
}

interface ActionFacts {
  /** Input -> required without a default. */
  inputs: Record<string, boolean>;
  outputs?: string[];
}

export interface Step {
  index: number;
  /** Id of the job it is in; a composite action's steps have the action's folder. */
  owner: string;
  node: MapNode;
  place: Place;
  id?: string;
  name?: string;
  if?: ScalarNode;
  run?: ScalarNode;
  uses?: UsesRef;
}

export interface Job {
  id: string;
  /** Of its key. */
  place: Place;
  node: YamlNode;
  needs: ScalarNode[];
  if?: ScalarNode;
  uses?: UsesRef;
  steps: Step[];
  workflow: Workflow;
}

export interface WorkflowEvent {
  name: string;
  place: Place;
  /** What is written below its name, if anything. */
  node?: YamlNode;
}

export interface Workflow {
  file: string;
  root: YamlNode;
  /** As written, else the path, as GitHub shows it. */
  name: string;
  events: WorkflowEvent[];
  jobs: Job[];
}

export interface Action {
  /** Folder of its action.yml; '' at the root. */
  folder: string;
  file: string;
  root: YamlNode;
  /** Of a composite action. */
  steps: Step[];
}

export interface FileProblem {
  file: string;
  message: string;
}

/** Everything a candidate wrote, read once. */
export interface Semantics {
  workflows: Workflow[];
  actions: Action[];
  /** Files that could not be read; the rest is judged without them. */
  problems: FileProblem[];
  facts: TaskFacts;
  /** What the script of a step may be, whoever calls it. */
  scripts: Map<Step, string[]>;
  /** What each input of the action that a step uses may be; names in lower case. */
  inputs: Map<Step, Record<string, string[]>>;
}
