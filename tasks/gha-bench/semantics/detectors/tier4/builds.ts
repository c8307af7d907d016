import { z } from 'zod';
import { allJobs, allSteps, callersOf, waitsFor } from '../../model/lookup.js';
import type { Semantics, Step } from '../../model/model.js';
import { environmentName, inputOf, scriptsOf, usesOneOf } from '../../model/selector.js';
import { selectorSchema } from '../../model/selector-fields.js';
import { effectivePermissions, grantedPermissions } from '../../model/permissions.js';
import { scenarioSchema } from '../../simulation/scenario.js';
import { buildSteps } from '../containers.js';
import { detector, when } from '../kit/detector.js';
import { begins, pathsIn } from '../kit/reads.js';
import { jobResults } from '../kit/runs.js';
import {
  firstInput,
  hasMatrix,
  jobsOf,
  lacks,
  pipelineProblems,
  pipelineSchema,
  placesOf,
  stepsDoing,
  tagOnly,
  uploadsBefore,
} from './pipeline.js';

const nodeCi = detector({
  id: 't4.node_ci',
  asks: 'Lint, tests over a matrix, build, artifact and deployment follow each other, and only what was asked for deploys.',
  execution: 'partly',
  params: pipelineSchema.extend({ deploy: selectorSchema.optional() }),
  present: (semantics) => {
    const npm = stepsDoing(semantics, ['actions/setup-node'], '\\b(npm|pnpm|yarn) ');
    return allJobs(semantics).length > 2 ? placesOf(npm) : [];
  },
  problems: (semantics, facts) => {
    const tests = jobsOf(semantics, stepsDoing(semantics, [], '\\b(npm|pnpm|yarn) (run )?(test|t)\\b'));
    const uploads = stepsDoing(semantics, ['actions/upload-artifact']);
    const downloads = jobsOf(semantics, stepsDoing(semantics, ['actions/download-artifact']));
    const handed = downloads.some((job) => uploadsBefore(semantics, job));
    return [
      when(!tests.some(hasMatrix), 'the tests run in no matrix', tests[0]?.place),
      when(uploads.length === 0, 'the build is not kept as an artifact'),
      when(uploads.length > 0 && !handed, 'no later job takes the artifact', downloads[0]?.place),
      ...pipelineProblems(semantics, facts),
    ];
  },
});

const PYTHON_BUILD = 'python -m build|hatch build|uv build|poetry build|setup\\.py (sdist|bdist_wheel)';
const PYTHON_PUBLISH = 'twine upload|uv publish|hatch publish|poetry publish';

const pythonRelease = detector({
  id: 't4.python_release',
  asks: 'A version tag alone builds the package and, in a job that waits for it, publishes it, by OIDC or a secret, in an environment.',
  execution: 'shim',
  params: pipelineSchema.extend({ environment: z.boolean().default(true) }),
  present: (semantics) =>
    placesOf(stepsDoing(semantics, ['pypa/gh-action-pypi-publish'], `${PYTHON_BUILD}|${PYTHON_PUBLISH}`)),
  problems: (semantics, { environment, ...facts }) => {
    const builds = jobsOf(semantics, stepsDoing(semantics, [], PYTHON_BUILD));
    const publishing = stepsDoing(semantics, ['pypa/gh-action-pypi-publish'], PYTHON_PUBLISH);
    return [
      ...tagOnly(semantics),
      when(builds.length === 0, 'nothing builds the package'),
      when(publishing.length === 0, 'nothing publishes the package'),
      ...jobsOf(semantics, publishing).flatMap((job) => {
        const authorised =
          grantedPermissions(semantics, job).scopes['id-token'] === 'write' ||
          pathsIn(job.node).some(({ path }) => path[0] === 'secrets');
        return [
          when(
            !builds.some((build) => waitsFor(semantics, job, build)),
            'publishing does not wait for the build',
            job.place,
          ),
          when(!uploadsBefore(semantics, job), 'the built package is not handed on as an artifact', job.place),
          when(!authorised, 'publishing has neither an id-token nor a secret', job.place),
          when(environment && environmentName(job) === undefined, 'publishing has no environment', job.place),
        ];
      }),
      ...pipelineProblems(semantics, facts),
    ];
  },
});

const legsRowSchema = z.strictObject({ scenario: scenarioSchema, values: z.array(z.string()) });

const monorepo = detector({
  id: 't4.monorepo',
  asks: 'Changed files decide which packages are built: a leg for each, none where nothing changed.',
  execution: 'shim',
  params: pipelineSchema.extend({ job: selectorSchema.optional(), legs: z.array(legsRowSchema).default([]) }),
  present: (semantics) =>
    placesOf(stepsDoing(semantics, ['dorny/paths-filter', 'tj-actions/changed-files'], '\\bgit diff\\b')),
  problems: (semantics, { job, legs, ...facts }) => {
    const reading = allJobs(semantics).filter((each) =>
      pathsIn(each.node).some(({ path }) => begins(path, 'needs', '*', 'outputs')),
    );
    return [
      when(reading.length === 0, 'no job reads what was found to have changed'),
      ...legs.map(({ scenario, values }) => {
        const results = jobResults(semantics, job ?? { file: '.' }, scenario).filter(
          (each) => job !== undefined || hasMatrix(each.job),
        );
        const broken = results.find((each) => each.problem !== undefined);
        const found = results
          .filter(({ result }) => result !== 'skipped')
          .flatMap((each) => each.legs.flatMap(({ leg }) => Object.values(leg).map(String)));
        const right = !broken && [...found].sort().join() === [...values].sort().join();
        return when(
          !right,
          broken?.problem ?? `with ${scenario.on.files?.join(', ')} the legs are ${found.join(', ') || 'none'}`,
          results[0]?.job.place,
        );
      }),
      ...pipelineProblems(semantics, facts),
    ];
  },
});

const METADATA = ['docker/metadata-action'];

const multiarch = detector({
  id: 't4.docker_multiarch',
  asks: 'QEMU and Buildx are set up, the image is built for exactly the platforms asked for, tagged by its metadata, pushed when asked.',
  execution: 'shim',
  params: pipelineSchema.extend({ platforms: z.array(z.string()).default([]) }),
  present: (semantics) => placesOf(buildSteps(semantics).filter((step) => platformsOf(step).length > 1)),
  problems: (semantics, { platforms, ...facts }) => {
    const builds = buildSteps(semantics).filter((step) => platformsOf(step).length > 1);
    return [
      ...builds.flatMap((step) => {
        const earlier = jobsOf(semantics, [step]).flatMap(({ steps }) =>
          steps.filter(({ index }) => index < step.index),
        );
        const metadata = earlier.find((each) => usesOneOf(each, METADATA));
        const reads = pathsIn(step.node).some(({ path }) =>
          begins(path, 'steps', metadata?.id ?? '', 'outputs', 'tags'),
        );
        const wrong = platforms.length > 0 && [...platformsOf(step)].sort().join() !== [...platforms].sort().join();
        return [
          when(
            !earlier.some((each) => usesOneOf(each, ['docker/setup-qemu-action'])),
            'QEMU is not set up',
            step.place,
          ),
          when(
            !earlier.some((each) => usesOneOf(each, ['docker/setup-buildx-action'])),
            'Buildx is not set up',
            step.place,
          ),
          when(wrong, `the platforms are ${platformsOf(step).join(', ')}`, step.place),
          when(!metadata || !reads, 'the tags do not come from docker/metadata-action', step.place),
        ];
      }),
      ...pipelineProblems(semantics, facts),
    ];
  },
});

function platformsOf(step: Step): string[] {
  const written = inputOf(step, 'platforms') ?? /--platform[ =](\S+)/.exec(step.run?.text ?? '')?.[1] ?? '';
  return written.split(/[,\s]+/).filter((platform) => platform !== '');
}

const RELEASES = [
  'softprops/action-gh-release',
  'ncipollo/release-action',
  'actions/create-release',
  'goreleaser/goreleaser-action',
];

const release = detector({
  id: 't4.release',
  asks: 'A version tag alone makes a release with notes, in the only job that may write contents.',
  execution: 'shim',
  params: pipelineSchema.extend({ history: z.boolean().default(false) }),
  present: (semantics) => placesOf(stepsDoing(semantics, RELEASES, '\\bgh release create\\b')),
  problems: (semantics, { history, ...facts }) => {
    const steps = stepsDoing(semantics, RELEASES, '\\bgh release create\\b');
    const jobs = jobsOf(semantics, steps);
    const callers = jobs.flatMap(({ workflow }) => callersOf(semantics, workflow));
    const others = allJobs(semantics).filter((job) => !jobs.includes(job) && !callers.includes(job));
    const depth = firstInput(
      allSteps(semantics).filter((step) => usesOneOf(step, ['actions/checkout'])),
      'fetch-depth',
    );
    return [
      ...tagOnly(semantics),
      ...jobs.map((job) => lacks(semantics, job, 'contents')),
      ...others.map((job) =>
        when(
          effectivePermissions(job).scopes['contents'] === 'write',
          `${job.id} may write contents without need`,
          job.place,
        ),
      ),
      when(!steps.some((step) => hasNotes(semantics, step)), 'the release has no notes', steps[0]?.place),
      when(history && depth !== '0', 'the checkout has no history to make notes of'),
      ...pipelineProblems(semantics, facts),
    ];
  },
});

function hasNotes(semantics: Semantics, step: Step): boolean {
  if (step.run)
    return scriptsOf(semantics, step).some((form) => /--generate-notes|--notes(?:-file)?\b|(?:^|\s)-[Fn]\b/.test(form));
  if (usesOneOf(step, ['goreleaser/goreleaser-action'])) return true;
  const inputs = ['generate_release_notes', 'generateReleaseNotes', 'body', 'body_path', 'bodyFile'];
  return inputs.some((name) => !['', 'false'].includes(inputOf(step, name) ?? ''));
}

export const BUILDS = [nodeCi, pythonRelease, monorepo, multiarch, release];
