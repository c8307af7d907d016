import type { CandidateRef } from '../../../src/contract/candidate.js';
import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { SandboxResult } from '../../../src/ports/sandbox.js';
import type { DatasetTools } from '../../../src/suite/dataset.js';
import type { StageContext } from '../../../src/suite/stage.js';
import type { MissingForCandidate } from '../../../src/suite/suite.js';
import { projectImage, readDependencies } from '../dataset/project-settings.js';
import { printed, readOnce, type TreeContext } from './tree-reader.js';

/** Package → `file:line` of the first import of it. */
export type MissingPackages = Record<string, string>;

/** What `python/candidate/missing_imports.py` prints. */
interface LackedImports {
  packages: Record<string, { place: string; stops: number; isInTree: boolean }>;
  /** Of the candidate; `stops` of a package counts those of them that cannot be imported without it. */
  modules: number;
}

const LABEL = { name: 'missing-packages.json', mediaType: 'application/json' };

/**
 * Packages that a candidate imports whenever its modules are, and that the image of its project has not, or that the project
 * does not declare: what imports them fails, whatever it is worth. The list is evidence.
 */
export async function missingPackages(context: StageContext, candidate: CandidateRef): Promise<MissingPackages> {
  if (candidate.provenance === 'reference' || context.scope === null) return {};
  const { packages } = await lackedImports(context, candidate, context.scope);
  const missing = Object.fromEntries(Object.entries(packages).map(([name, { place }]) => [name, place]));
  if (Object.keys(missing).length > 0) await context.attach(JSON.stringify(missing), LABEL);
  return missing;
}

/**
 * Of these packages those without which more than half of the modules cannot be imported: what the library is built on, and
 * no driver of one of its many databases. What lies elsewhere in the tree under that name is the candidate's own mistake.
 */
export async function missingForCandidate(
  candidate: CandidateRef,
  projects: readonly string[],
  tools: Pick<DatasetTools, 'blobs' | 'sandbox' | 'suiteFolder' | 'signal'>,
): Promise<MissingForCandidate[]> {
  const context = { ...tools, heartbeat: () => undefined, campaign: { id: 'grade' }, owner: { id: 'grade' } };
  const found = projects.map(async (project) => {
    const { packages, modules } = await lackedImports(context, candidate, project);
    return Object.entries(packages).flatMap(([name, { place, stops, isInTree }]) =>
      isInTree || stops * 2 <= modules ? [] : [lackOf(name, project, { place, stops, modules })],
    );
  });
  return (await Promise.all(found)).flat();
}

function lackOf(
  name: string,
  project: string,
  { place, stops, modules }: { place: string; stops: number; modules: number },
): MissingForCandidate {
  return {
    name,
    message: `${place} imports ${name}, which candidates for ${project} do not have; ${stops} of ${modules} modules cannot be imported without it`,
    expected: 'a candidate that brings along what its project does not declare or the image does not have',
    fix: `have it lie beside the candidate's own packages (\`pip install --no-deps --target FOLDER ${name}\`), and grade that folder`,
  };
}

async function lackedImports(context: TreeContext, candidate: CandidateRef, project: string): Promise<LackedImports> {
  const declared = (await readDependencies(project, context.suiteFolder)) ?? [];
  const files = ['missing_imports.py', 'layout.py'];
  const reader = { name: 'missing', files, image: projectImage(project), arguments: declared, label: LABEL, told };
  const ref = await readOnce(context, candidate, reader);
  return JSON.parse((await context.blobs.get(ref.sha256)).toString('utf8')) as LackedImports;
}

/** A tree that cannot be read in the time there is says nothing. */
function told(result: SandboxResult): LackedImports {
  const lacked = printed<LackedImports>(result);
  if (lacked === null && result.timeLimit === 'wall')
    throw new DomainFailure('sandbox.lost', 'the look for missing packages ran out of time');
  return lacked ?? { packages: {}, modules: 0 };
}
