import { z } from 'zod';
import { allJobs, allSteps, jobOfStep } from '../model/lookup.js';
import type { Job, Semantics, Step } from '../model/model.js';
import { compilePattern } from '../model/pattern.js';
import { possibleTexts } from '../model/possible-steps.js';
import { inputOf, isJob, usesOneOf } from '../model/selector.js';
import { patternSchema, selectorSchema } from '../model/selector-fields.js';
import { allScalars, child, entriesOf, textOf, textsOf, type MapEntry } from '../nodes/node.js';
import { NoValue } from '../expressions/evaluate.js';
import { parseTemplate } from '../expressions/template.js';
import { filledText, legsBeforehand } from '../simulation/legs.js';
import { probeSchema, type Probe } from '../simulation/probe.js';
import { detector, when, type Finding } from './kit/detector.js';
import { mayRun, PUSH } from './kit/runs.js';
import { effectivePermissions } from '../model/permissions.js';
import { eventContexts } from '../simulation/event-context.js';

interface Service extends MapEntry {
  job: Job;
}

function services(semantics: Semantics): Service[] {
  return allJobs(semantics).flatMap((job) =>
    entriesOf(child(job.node, 'services')).map((entry) => ({ ...entry, job })),
  );
}

/** `postgres` for `docker.io/library/postgres:16-alpine`; expressions over the matrix worked out. */
function imageFamily(image: string): string {
  const [path = ''] = image.split('@');
  return (path.split('/').at(-1) ?? '').split(':')[0] ?? '';
}

function imageOf(node: ReturnType<typeof child>, job: Job): string {
  const text = textOf(node) ?? textOf(child(node, 'image')) ?? '';
  const [matrix = {}] = legsBeforehand(job);
  try {
    return filledText(text, { contexts: { matrix } });
  } catch (error) {
    if (error instanceof NoValue) return text;
    throw error;
  }
}

function servicesOf(semantics: Semantics, family: string | undefined): Service[] {
  return services(semantics).filter(
    ({ value, job }) => family === undefined || imageFamily(imageOf(value, job)) === family,
  );
}

/** Container's side of `5432:5432`, `5432` or `127.0.0.1:5432:5432/tcp`. */
function portsOf(service: Service): { host: string; container: string }[] {
  return textsOf(child(service.value, 'ports')).map((text) => {
    const parts = text.replace(/\/(?:tcp|udp)$/, '').split(':');
    return { host: parts.length > 1 ? (parts.at(-2) ?? '') : '', container: parts.at(-1) ?? '' };
  });
}

const basicService = detector({
  id: 't2.services.basic',
  asks: 'The service asked for runs beside the steps, with the variables asked for, and steps reach it by the right host and port.',
  execution: 'shim',
  params: z.strictObject({
    image: z.string().optional(),
    env: z.record(z.string(), patternSchema).default({}),
    port: z.number().int().optional(),
  }),
  present: (semantics) => services(semantics).map(({ keyPlace }) => keyPlace),
  problems: (semantics, { image, env, port }) => {
    const found = servicesOf(semantics, image);
    return [
      when(found.length === 0, `no service runs ${image}`),
      ...found.flatMap((service) => [
        ...Object.entries(env).map(([name, pattern]) => {
          const value = textOf(child(service.value, 'env', name));
          const right = possibleTexts(semantics, service.job, value ?? '').some((each) =>
            compilePattern(pattern).matches(each),
          );
          return when(!right, `the service's ${name} is ${value ?? 'not set'}`, service.keyPlace);
        }),
        hostProblem(service, port),
      ]),
    ];
  },
});

function hostProblem(service: Service, port: number | undefined): Finding | undefined {
  const inContainer = child(service.job.node, 'container') !== undefined;
  const texts = [...allScalars(child(service.job.node, 'steps')), ...allScalars(child(service.job.node, 'env'))].map(
    ({ text }) => text,
  );
  if (inContainer) {
    const local =
      port !== undefined && texts.some((text) => new RegExp(`(?:localhost|127\\.0\\.0\\.1):${port}`).test(text));
    return when(local, `in a container job the service is called ${service.key}, not localhost`, service.keyPlace);
  }
  const ports = portsOf(service);
  const mapped = port === undefined ? ports.length > 0 : ports.some(({ container }) => container === String(port));
  const byName = texts.some(
    (text) => text === service.key || text.includes(`@${service.key}:`) || text.includes(`//${service.key}:`),
  );
  return (
    when(!mapped, 'no port of the service is opened to the steps', service.keyPlace) ??
    when(byName, `outside a container job the service is localhost, not ${service.key}`, service.keyPlace)
  );
}

const health = detector({
  id: 't2.services.health',
  asks: 'Steps begin when the service is ready: a health command with its interval and retries, and the port asked for.',
  execution: 'shim',
  params: z.strictObject({
    image: z.string().optional(),
    command: patternSchema.optional(),
    /** Container's, or `host:container`. */
    port: z.string().optional(),
    waitLoop: z.boolean().default(false),
  }),
  present: (semantics) => services(semantics).flatMap(({ value }) => child(value, 'options')?.place ?? []),
  problems: (semantics, { image, command, port, waitLoop }) => {
    const found = servicesOf(semantics, image);
    return [
      when(found.length === 0, `no service runs ${image}`),
      ...found.flatMap((service) => [
        ...(waitLoop && waits(service.job) ? [] : healthProblems(service, command)),
        when(port !== undefined && !hasPort(service, port), `the service opens no port ${port}`, service.keyPlace),
      ]),
    ];
  },
});

function healthProblems(service: Service, command: string | undefined): (Finding | undefined)[] {
  const options = textOf(child(service.value, 'options')) ?? '';
  const missing = ['--health-cmd', '--health-interval', '--health-retries'].filter(
    (option) => !options.includes(option),
  );
  const wrong = missing.length === 0 && command !== undefined && !compilePattern(command).matches(options);
  return [
    ...missing.map((option) => when(true, `options hold no ${option}`, service.keyPlace)),
    when(wrong, `the health command does not match ${command}`, service.keyPlace),
  ];
}

function waits(job: Job): boolean {
  const scripts = job.steps.map(({ run }) => run?.text ?? '');
  return scripts.some((text) => /\b(?:until|while|for)\b/.test(text) && /\bsleep\b/.test(text));
}

function hasPort(service: Service, wanted: string): boolean {
  const [container, host] = wanted.split(':').reverse();
  return portsOf(service).some((port) => port.container === container && (host === undefined || port.host === host));
}

const containerJob = detector({
  id: 't3.container_job',
  asks: 'The job runs in the image asked for, with the variables and options asked for.',
  execution: 'shim',
  params: z.strictObject({
    image: patternSchema.optional(),
    env: z.record(z.string(), patternSchema).default({}),
    options: patternSchema.optional(),
    job: selectorSchema.optional(),
  }),
  present: (semantics) => allJobs(semantics).flatMap(({ node }) => child(node, 'container')?.place ?? []),
  problems: (semantics, { image, env, options, job }) => {
    const jobs = allJobs(semantics).filter((each) =>
      job === undefined ? child(each.node, 'container') : isJob(semantics, each, job),
    );
    return [
      when(jobs.length === 0, 'no job is the one asked about'),
      ...jobs.flatMap((each) => {
        const container = child(each.node, 'container');
        const found = imageOf(container, each);
        const wrongEnv = Object.entries(env).filter(
          ([name, pattern]) =>
            !possibleTexts(semantics, each, textOf(child(container, 'env', name)) ?? '').some((value) =>
              compilePattern(pattern).matches(value),
            ),
        );
        return [
          when(found === '', 'the job runs in no container', each.place),
          when(
            found !== '' && image !== undefined && !compilePattern(image).matches(found),
            `the image is ${found}`,
            each.place,
          ),
          ...wrongEnv.map(([name]) => when(true, `the container's ${name} is not what was asked for`, each.place)),
          when(
            options !== undefined && !compilePattern(options).matches(textOf(child(container, 'options')) ?? ''),
            `options do not match ${options}`,
            each.place,
          ),
        ];
      }),
    ];
  },
});

const BUILD = ['docker/build-push-action'];
const LOGIN = ['docker/login-action'];

export function buildSteps(semantics: Semantics): Step[] {
  return allSteps(semantics).filter(
    (step) => usesOneOf(step, BUILD) || /\bdocker (?:buildx )?(?:build|push)\b/.test(step.run?.text ?? ''),
  );
}

const buildPush = detector({
  id: 't3.docker.build_push',
  asks: 'After logging in, the image is built under the tags asked for, and pushed on exactly the events asked for.',
  execution: 'shim',
  params: z.strictObject({
    tags: patternSchema.optional(),
    registry: z.string().optional(),
    pushes: z.array(probeSchema).default([PUSH]),
    keeps: z.array(probeSchema).default([]),
  }),
  present: (semantics) => buildSteps(semantics).map(({ place }) => place),
  problems: (semantics, { tags, registry, pushes, keeps }) => {
    const builds = buildSteps(semantics);
    const [place] = builds.map((step) => step.place);
    const tagged =
      tags === undefined ||
      builds.some(
        (step) =>
          compilePattern(tags).matches(`${inputOf(step, 'tags') ?? ''}\n${step.run?.text ?? ''}`) ||
          takesTags(semantics, step, tags),
      );
    return [
      ...builds.flatMap((step) => loginProblems(semantics, step, registry)),
      when(!tagged, `no image is tagged ${tags}`, place),
      ...pushes.map((probe) => when(!pushesOn(semantics, builds, probe), `nothing is pushed on ${probe.event}`, place)),
      ...keeps.map((probe) => when(pushesOn(semantics, builds, probe), `an image is pushed on ${probe.event}`, place)),
    ];
  },
});

/** Tags that docker/metadata-action made. */
function takesTags(semantics: Semantics, step: Step, pattern: string): boolean {
  const job = jobOfStep(semantics, step);
  const metadata = job?.steps.filter((each) => usesOneOf(each, ['docker/metadata-action'])) ?? [];
  const reads = /steps\.([\w-]+)\.outputs\.tags/.exec(inputOf(step, 'tags') ?? '')?.[1];
  const source = metadata.find(({ id }) => id === reads);
  return (
    source !== undefined &&
    compilePattern(pattern).matches(`${inputOf(source, 'images') ?? ''}\n${inputOf(source, 'tags') ?? ''}`)
  );
}

function loginProblems(semantics: Semantics, build: Step, registry: string | undefined): (Finding | undefined)[] {
  const job = jobOfStep(semantics, build);
  const earlier = job?.steps.filter(({ index }) => index < build.index) ?? [];
  const login = earlier.find((step) => usesOneOf(step, LOGIN) || (step.run?.text ?? '').includes('docker login'));
  const ghcr = registry === 'ghcr.io';
  const granted = job && effectivePermissions(job).scopes['packages'] === 'write';
  const other = login?.uses && registry !== undefined && (inputOf(login, 'registry') ?? 'docker.io') !== registry;
  return [
    when(!login, 'nothing logs in before the build', build.place),
    when(Boolean(other), `the login is not to ${registry}`, login?.place),
    when(ghcr && !granted, 'the job has no permission packages: write', job?.place),
  ];
}

function pushesOn(semantics: Semantics, builds: Step[], probe: Probe): boolean {
  return builds.some((step) => {
    const job = jobOfStep(semantics, step);
    const index = step.index;
    if (!job || !mayRun(semantics, exactly(step), { on: probe })) return false;
    const script = step.run?.text ?? '';
    if (step.run) return /\bdocker push\b|--push\b/.test(script);
    const contexts = eventContexts(job.workflow, probe, semantics);
    return index >= 0 && filledOr(inputOf(step, 'push') ?? 'false', contexts) === 'true';
  });
}

/** A role that only this step has. */
function exactly(step: Step): z.infer<typeof selectorSchema> {
  const escaped = (text: string): string => text.replace(/[^\w\s/-]/g, '\\$&');
  if (step.run) return { runs: escaped(step.run.text.split('\n')[0] ?? '').slice(0, 400) };
  return { uses: step.uses?.kind === 'remote' ? step.uses.name : (step.uses?.written ?? '') };
}

function filledOr(text: string, contexts: Record<string, unknown>): string {
  if (parseTemplate(text).open) return text;
  try {
    return filledText(text, { contexts });
  } catch (error) {
    if (error instanceof NoValue) return '';
    throw error;
  }
}

export const CONTAINERS = [basicService, health, containerJob, buildPush];
