import { z } from 'zod';
import { allJobs, allSteps, deepSteps, jobsWithStep, waitsFor } from '../model/lookup.js';
import type { Job, Semantics, Step } from '../model/model.js';
import { compilePattern } from '../model/pattern.js';
import { inputOf, isJob, isStep, possibleInputs, scriptsOf, usesOneOf } from '../model/selector.js';
import { patternSchema, selectorSchema } from '../model/selector-fields.js';
import { majorOf } from '../model/uses.js';
import { child, entriesOf, textOf } from '../nodes/node.js';
import { matchesGlob } from '../simulation/glob.js';
import { repositoryHash } from '../simulation/repository-hash.js';
import { detector, when, type Finding } from './kit/detector.js';
import { parseTemplate } from '../expressions/template.js';

const CACHES = ['actions/cache', 'actions/cache/restore'];
/** What they look for where `cache-dependency-path` is not given. */
const LOCKFILES: Record<string, string[]> = {
  npm: ['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock'],
  yarn: ['yarn.lock'],
  pnpm: ['pnpm-lock.yaml'],
  pip: ['requirements.txt', 'pyproject.toml'],
  pipenv: ['Pipfile.lock'],
  poetry: ['poetry.lock'],
  gradle: ['gradle.lockfile', 'build.gradle', 'build.gradle.kts'],
  maven: ['pom.xml'],
};

function cacheSteps(semantics: Semantics): Step[] {
  return allSteps(semantics).filter((step) => usesOneOf(step, CACHES) || isSetupCache(step));
}

/** `cache: npm` of setup-node and its like. */
function isSetupCache(step: Step): boolean {
  const cache = inputOf(step, 'cache');
  return (
    step.uses?.kind === 'remote' &&
    step.uses.repo.startsWith('setup-') &&
    cache !== undefined &&
    cache !== 'false' &&
    cache !== ''
  );
}

const cache = detector({
  id: 't2.cache.action',
  asks: 'A cache is restored before the dependencies are installed, under a key that changes with the lockfile of the repository.',
  execution: 'shim',
  params: z.strictObject({
    lockfile: z.string().optional(),
    path: patternSchema.optional(),
    install: selectorSchema.optional(),
  }),
  present: (semantics) => cacheSteps(semantics).map(({ place }) => place),
  problems: (semantics, { lockfile, path, install }) => {
    const found = cacheSteps(semantics).map((step) => [
      ...(usesOneOf(step, CACHES)
        ? keyProblems(semantics, step, lockfile, path)
        : setupProblems(semantics, step, lockfile)),
      when(
        install !== undefined && !isBefore(semantics, step, install),
        'the cache is restored after what it is for',
        step.place,
      ),
    ]);
    return bestOf(found);
  },
});

/** One that has nothing wrong is enough. */
function bestOf(found: (Finding | undefined)[][]): (Finding | undefined)[] {
  return found.some((each) => each.every((finding) => !finding)) ? [] : (found[0] ?? []);
}

function keyProblems(semantics: Semantics, step: Step, lockfile?: string, path?: string): (Finding | undefined)[] {
  const key = inputOf(step, 'key') ?? '';
  const hashed = hashedFiles(key);
  const matching = hashed.filter((pattern) => repositoryHash(semantics)([pattern]) !== '');
  const unknown = Object.keys(semantics.facts.files).length === 0;
  const aboutLockfile =
    lockfile === undefined || hashed.some((pattern) => matchesGlob(pattern.replace(/^\.\//, ''), lockfile));
  return [
    when(hashed.length === 0 && !isComputed(semantics, step, lockfile), 'the key holds no hashFiles()', step.place),
    when(
      hashed.length > 0 && !unknown && matching.length === 0,
      `no file of the repository matches ${hashed.join(', ')}`,
      step.place,
    ),
    when(hashed.length > 0 && !aboutLockfile, `the key does not change with ${lockfile}`, step.place),
    when(
      path !== undefined && !possibleInputs(semantics, step, 'path').some((each) => compilePattern(path).matches(each)),
      `path does not match ${path}`,
      step.place,
    ),
    when(readsJobOnly(key), 'the key is another one in every run', step.place),
  ];
}

/** By an earlier script that reads the lockfile and hands on what the key is made of; a local action may be given it as an input. */
function isComputed(semantics: Semantics, step: Step, lockfile?: string): boolean {
  const paths = parseTemplate(inputOf(step, 'key') ?? '').parts.flatMap((part) =>
    typeof part === 'object' ? part.paths : [],
  );
  const readsInput = paths.some(([context]) => context === 'inputs');
  return jobsWithStep(semantics, step).some((job) => {
    const all = deepSteps(semantics, job.steps);
    const earlier = all.slice(0, all.indexOf(step));
    const hashing = earlier.filter((each) => scriptsOf(semantics, each).some((script) => names(script, lockfile)));
    if (readsInput && all.some((each) => hashedFiles(Object.values(inputsGiven(each)).join('\n')).length > 0))
      return true;
    return hashing.some((each) =>
      paths.some(([context, id]) => (context === 'steps' && id === each.id) || context === 'env'),
    );
  });
}

/** By its path: another file may have the same name elsewhere. */
function names(script: string, lockfile?: string): boolean {
  return lockfile === undefined || script.split(/[\s"'()<>|;]+/).some((word) => word.replace(/^\.\//, '') === lockfile);
}

function inputsGiven(step: Step): Record<string, string> {
  const entries = entriesOf(child(step.node, 'with')).map(({ key, value }): [string, string] => [
    key,
    textOf(value) ?? '',
  ]);
  return Object.fromEntries(entries);
}

function hashedFiles(key: string): string[] {
  const expressions = parseTemplate(key).parts.filter((part) => typeof part === 'object');
  const hashing = expressions.filter(({ functions }) => functions.includes('hashfiles'));
  return hashing.flatMap(({ literals }) => literals.flatMap((text) => text.split('\n')).map((text) => text.trim()));
}

function readsJobOnly(key: string): boolean {
  const expressions = parseTemplate(key).parts.filter((part) => typeof part === 'object');
  const changing = ['run_id', 'run_number', 'sha'];
  return expressions.some(({ paths }) =>
    paths.some(([context, name]) => context === 'github' && changing.includes(name ?? '')),
  );
}

function setupProblems({ facts }: Semantics, step: Step, lockfile?: string): (Finding | undefined)[] {
  const files = Object.keys(facts.files);
  const given = inputOf(step, 'cache-dependency-path')
    ?.split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const looked = given ?? LOCKFILES[inputOf(step, 'cache') ?? ''] ?? (lockfile === undefined ? [] : [lockfile]);
  const found = files.filter((file) => looked.some((pattern) => matchesGlob(pattern, file)));
  const other = lockfile !== undefined && !looked.some((pattern) => matchesGlob(pattern, lockfile));
  return [
    when(other, `the cache does not change with ${lockfile}`, step.place),
    when(
      files.length > 0 && !other && looked.length > 0 && found.length === 0,
      `the repository has no ${looked.join(' or ')}`,
      step.place,
    ),
  ];
}

function isBefore(semantics: Semantics, step: Step, later: z.infer<typeof selectorSchema>): boolean {
  return jobsWithStep(semantics, step).some(({ steps }) => {
    const all = deepSteps(semantics, steps);
    return all.slice(all.indexOf(step) + 1).some((each) => isStep(semantics, each, later));
  });
}

const restoreKeys = detector({
  id: 't2.cache.restore_keys',
  asks: 'Each restore key is a beginning of the key, so that an older cache of the same kind is taken.',
  execution: 'shim',
  params: z.strictObject({ least: z.number().int().default(1) }),
  present: (semantics) => restoring(semantics).map(({ place }) => place),
  problems: (semantics, { least }) =>
    restoring(semantics).flatMap((step) => {
      const key = inputOf(step, 'key') ?? '';
      const prefixes = prefixesOf(step);
      return [
        when(prefixes.length < least, `${prefixes.length} restore keys, not ${least}`, step.place),
        ...prefixes.map((prefix) => {
          const proper = squeezed(key).startsWith(squeezed(prefix)) && squeezed(prefix) !== squeezed(key);
          return when(!proper, `"${prefix}" is no beginning of the key`, step.place);
        }),
      ];
    }),
});

function restoring(semantics: Semantics): Step[] {
  return allSteps(semantics).filter((step) => usesOneOf(step, CACHES) && prefixesOf(step).length > 0);
}

function prefixesOf(step: Step): string[] {
  const lines = (inputOf(step, 'restore-keys') ?? '').split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '');
}

/** Blanks within `${{ }}` do not count. */
function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}

const UPLOAD = ['actions/upload-artifact'];
const DOWNLOAD = ['actions/download-artifact'];
const ARTIFACT_DEFAULT = 'artifact';

const artifacts = detector({
  id: 't2.artifacts.pass',
  asks: 'What one job uploads a later job downloads: the same name, a job that waits, one name for each leg.',
  execution: 'shim',
  params: z.strictObject({
    from: selectorSchema.optional(),
    to: selectorSchema.optional(),
    name: z.string().optional(),
    path: patternSchema.optional(),
  }),
  present: (semantics) => using(semantics, [...UPLOAD, ...DOWNLOAD]).map(({ step }) => step.place),
  problems: (semantics, { from, to, name, path }) => {
    const uploads = using(semantics, UPLOAD).filter(({ job }) => from === undefined || isJob(semantics, job, from));
    const downloads = using(semantics, DOWNLOAD).filter(({ job }) => to === undefined || isJob(semantics, job, to));
    const named = uploads.filter(
      ({ step }) => name === undefined || possibleInputs(semantics, step, 'name').includes(name),
    );
    const pathed = named.filter(
      ({ step }) =>
        path === undefined ||
        possibleInputs(semantics, step, 'path').some((each) => compilePattern(path).matches(each)),
    );
    const passed = pathed.some((upload) => downloads.some((download) => passes(semantics, upload, download)));
    return [
      when(uploads.length === 0, 'the job asked about uploads nothing'),
      when(downloads.length === 0, 'the job asked about downloads nothing'),
      when(uploads.length > 0 && named.length === 0, `no upload is named ${name}`, uploads[0]?.step.place),
      when(named.length > 0 && pathed.length === 0, `no upload takes ${path}`, named[0]?.step.place),
      when(
        downloads.length > 0 && pathed.length > 0 && !passed,
        'no download takes what a job before it uploads',
        downloads[0]?.step.place,
      ),
      ...[...uploads, ...downloads].map(({ step }) =>
        when(isShutDown(step), `${step.uses?.written} no longer works`, step.place),
      ),
      ...uploads.map(({ step, job }) => when(collides(step, job), 'every leg uploads under the same name', step.place)),
    ];
  },
});

interface Using {
  step: Step;
  job: Job;
  /** Of the step among those of its job and of the local actions it uses. */
  at: number;
}

function using(semantics: Semantics, names: string[]): Using[] {
  return allJobs(semantics).flatMap((job) =>
    deepSteps(semantics, job.steps).flatMap((step, at) => (usesOneOf(step, names) ? [{ step, job, at }] : [])),
  );
}

function passes(semantics: Semantics, upload: Using, download: Using): boolean {
  const sameJob = upload.job === download.job && upload.at < download.at;
  return (
    (sameJob || waitsFor(semantics, download.job, upload.job)) && sameArtifact(semantics, upload.step, download.step)
  );
}

function sameArtifact(semantics: Semantics, upload: Step, download: Step): boolean {
  const named = (step: Step, input: string): string[] => possibleInputs(semantics, step, input).filter(Boolean);
  const own = named(upload, 'name').map(squeezed);
  const names = own.length > 0 ? own : [ARTIFACT_DEFAULT];
  const wanted = named(download, 'name');
  if (wanted.length > 0) return wanted.some((name) => names.includes(squeezed(name)));
  const patterns = named(download, 'pattern');
  const isTaken = (name: string): boolean =>
    patterns.some((pattern) => matchesGlob(pattern, name.replace(/\$\{\{.*?\}\}/g, 'x')));
  return patterns.length === 0 || names.some(isTaken);
}

/** Versions before 4 have been switched off. */
function isShutDown(step: Step): boolean {
  return step.uses?.kind === 'remote' && (majorOf(step.uses.ref) ?? 4) < 4;
}

function collides(step: Step, job: Job): boolean {
  const name = inputOf(step, 'name') ?? ARTIFACT_DEFAULT;
  const overwrites = inputOf(step, 'overwrite') === 'true';
  return (
    child(job.node, 'strategy', 'matrix') !== undefined && !/matrix\.|strategy\.job-index/.test(name) && !overwrites
  );
}

const retention = detector({
  id: 't2.artifacts.retention',
  asks: 'The artifact is kept for the days asked for, under the name asked for.',
  execution: 'partly',
  params: z.strictObject({ days: z.number().int().optional(), name: z.string().optional() }),
  present: (semantics) =>
    using(semantics, UPLOAD).flatMap(({ step }) => child(step.node, 'with', 'retention-days')?.place ?? []),
  problems: (semantics, { days, name }) => {
    const uploads = using(semantics, UPLOAD).filter(({ step }) => name === undefined || inputOf(step, 'name') === name);
    const kept = uploads.map(({ step }) => textOf(child(step.node, 'with', 'retention-days')) ?? '');
    const valid = kept.filter((text) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 90);
    const place = uploads[0]?.step.place;
    return [
      when(uploads.length === 0, `no upload is named ${name}`),
      when(
        uploads.length > 0 && valid.length === 0,
        `${kept[0] || 'nothing'} is no number of days from 1 to 90`,
        place,
      ),
      when(
        valid.length > 0 && days !== undefined && !valid.includes(String(days)),
        `kept ${valid[0]} days, not ${days}`,
        place,
      ),
      ...uploads.map(({ step }) => when(isShutDown(step), `${step.uses?.written} no longer works`, step.place)),
    ];
  },
});

export const STORAGE = [cache, restoreKeys, artifacts, retention];
