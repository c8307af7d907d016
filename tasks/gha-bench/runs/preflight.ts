import { parse } from 'yaml';

/** Flags of `options` that would let a container out of its slot, or have it reach another. */
const REFUSED_OPTIONS = [
  /--privileged\b/,
  /--cap-add\b/,
  /--device\b/,
  /--(pid|ipc|userns|uts|cgroupns)[= ]host\b/,
  /--net(work)?[= ]host\b/,
  /--security-opt\b/,
  /--volumes-from\b/,
  /(^|\s)(-v|--volume|--mount)\b/,
];
/** A step that starts containers of its own, past the options above. */
const STARTS_CONTAINERS = /\bdocker(-compose)?\s+(container\s+)?(run|create|exec|compose|up)\b|docker\.sock/;

/** Why a workflow is not run, each with its place; none where it may be. Files that are no YAML are for the syntax layer. */
export function refusals(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([path, text]) => {
    const jobs = recordOf(recordOf(parsedOrNull(text))['jobs']);
    return Object.entries(jobs).flatMap(([job, value]) =>
      ofJob(recordOf(value)).map((why) => `${path}: job ${job}: ${why}`),
    );
  });
}

function ofJob(job: Record<string, unknown>): string[] {
  const services = Object.entries(recordOf(job['services']));
  const containers: [string, unknown][] = [['container', job['container']], ...services];
  const steps = Array.isArray(job['steps']) ? (job['steps'] as unknown[]).map(recordOf) : [];
  const scripts = steps.map(({ run }) => run).filter((run) => typeof run === 'string');
  return [
    ...containers.flatMap(([name, value]) => ofContainer(recordOf(value)).map((why) => `${name}: ${why}`)),
    ...scripts.flatMap((script) => STARTS_CONTAINERS.exec(script)?.[0] ?? []).map((what) => `a step runs "${what}"`),
  ];
}

function ofContainer({ options, volumes }: Record<string, unknown>): string[] {
  const words = typeof options === 'string' ? options : '';
  const named = Array.isArray(volumes) ? volumes.map(String) : typeof volumes === 'string' ? [volumes] : [];
  const mounts = named.filter((each) => /^[/.~]/.test(each));
  return [
    // Only the run knows what they become, and that is too late.
    ...(words.includes('${{') ? ['options that are worked out'] : []),
    ...(named.some((each) => each.includes('${{')) ? ['volumes that are worked out'] : []),
    ...REFUSED_OPTIONS.flatMap((flag) => flag.exec(words)?.[0].trim() ?? []).map((what) => `the option ${what}`),
    ...mounts.map((each) => `the host's folder ${each}`),
  ];
}

function parsedOrNull(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent' });
  } catch {
    return null;
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
