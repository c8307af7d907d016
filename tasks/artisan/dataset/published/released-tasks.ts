import type { ReleasedPaper } from './release-schema.js';

/** What the artifact of a paper needs, as the release says. */
export type ArtifactNeeds = Pick<ReleasedPaper, 'language' | 'uses_docker' | 'uses_api' | 'uses_gpu'>;

/** Every artifact starts containers. */
const needs = (language: string, further: Partial<ArtifactNeeds> = {}): ArtifactNeeds => ({
  ...{ language, uses_docker: true, uses_api: false, uses_gpu: false },
  ...further,
});

/** The papers of the release at d100e56: what their artifacts need, and which of their tables are tasks. */
const PAPERS: Readonly<Record<string, [needs: ArtifactNeeds, tables: readonly number[]]>> = {
  action: [needs('python'), [1, 2, 3, 4, 5, 6]],
  axa: [needs('scala'), [1, 2, 3]],
  bazel: [needs('python'), [5]],
  bcia: [needs('python'), [3]],
  bloat: [needs('python'), [1, 2, 3]],
  crossover: [needs('java'), [2, 3, 4]],
  dypybench: [needs('python'), [3]],
  goblinupdater: [needs('java'), [2]],
  interference: [needs('bash'), [2]],
  lasapp: [needs('python'), [1, 2]],
  llm: [needs('python'), [1, 3]],
  mutation: [needs('python'), [2]],
  neurojit: [needs('python'), [3]],
  npetest: [needs('java'), [2, 3, 4]],
  pmsat: [needs('python'), [2, 3, 4, 5, 6]],
  ppt4j: [needs('java'), [2]],
  provenfix: [needs('ocaml', { uses_gpu: true }), [2, 3, 4]],
  pythonic: [needs('python'), [2, 3, 4, 5, 6, 7, 8, 9, 10]],
  roam: [needs('python'), [2, 3, 4, 5]],
  rust: [needs('rust'), [1, 2, 3, 5]],
  sctype: [needs('python', { uses_api: true }), [3]],
  unimocg: [needs('scala'), [1, 2, 4]],
  urcrat: [needs('rust'), [1]],
};

/** Id of a task of the release → what its artifact needs. Known without the release, so that a campaign that names one is told why not. */
export const RELEASED_TASKS: ReadonlyMap<string, ArtifactNeeds> = new Map(
  Object.entries(PAPERS).flatMap(([paper, [needed, tables]]) =>
    tables.map((table) => [`${paper}-t${table}`, needed] as const),
  ),
);
