import { parse } from 'yaml';

/**
 * Flags of `options` that say nothing of the machine outside the container; all others are refused. Of two dashes and of one, without
 * a value.
 */
const FLAGS_WITH_VALUE = new Set([
  ...['--health-cmd', '--health-interval', '--health-timeout', '--health-retries', '--health-start-period'],
  ...['--cpus', '--memory', '-m', '--memory-swap', '--shm-size', '--pids-limit', '--ulimit', '--cap-drop', '--tmpfs'],
  ...['--env', '-e', '--user', '-u', '--workdir', '-w', '--hostname', '-h', '--name', '--label', '-l', '--entrypoint'],
  ...['--publish', '-p', '--expose', '--add-host', '--network-alias', '--stop-signal', '--stop-timeout', '--restart'],
]);
const FLAGS = new Set([
  '--init',
  '--read-only',
  '--no-healthcheck',
  '--rm',
  '--tty',
  '-t',
  '--interactive',
  '-i',
  '-it',
]);
/** `name:/folder`: a volume of the run's own engine. */
const OWN_VOLUME = /^[A-Za-z0-9][\w.-]*:\/[^:]*(:r[ow])?$/;
/** A step that starts containers of its own, past the options above. */
const STARTS_CONTAINERS = /\bdocker(-compose)?\s+(container\s+)?(run|create|exec|compose|up)\b|docker\.sock/;

/** What is here and not at GitHub, or the other way round: who asks for it does something else there than here. */
const ASKS_FOR_ACT =
  /\/var\/run\/act\b|\/opt\/durabench\b|\bDURABENCH_\w+|\benv\.(?:ACT|act)\b|\benv\[\s*['"](?:ACT|act)['"]\s*\]|\$\{?ACT\b|\$[Ee]nv:ACT\b|\bprintenv\s+ACT\b|\benviron(?:\.get)?[[(]\s*['"]ACT['"]|\bgetenv\(\s*['"]ACT['"]/;

/** Why a workflow is not run, each with its place; none where it may be. Files that are no YAML are for the syntax layer. */
export function refusals(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([path, text]) => {
    const jobs = recordOf(recordOf(parsedOrNull(text))['jobs']);
    const asked = ASKS_FOR_ACT.exec(text)?.[0];
    return [
      ...(asked === undefined ? [] : [`${path}: "${asked}" asks for act, which GitHub is not`]),
      ...Object.entries(jobs).flatMap(([job, value]) =>
        ofJob(recordOf(value)).map((why) => `${path}: job ${job}: ${why}`),
      ),
    ];
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
  const named = [volumes ?? []].flat().map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  return [...ofOptions(options), ...named.filter((each) => !OWN_VOLUME.test(each)).map(volumeText)];
}

// Only the run knows what an expression becomes, and that is too late.
const volumeText = (volume: string): string =>
  volume.includes('${{')
    ? `volumes that are worked out: ${volume}`
    : `${/^[/.~]/.test(volume) ? "the host's folder" : 'the volume'} ${volume}`;

/** Of words that act splits as a shell does, once it has filled in expressions. */
function ofOptions(options: unknown): string[] {
  if (options === undefined || options === null) return [];
  if (typeof options !== 'string') return ['options that are no text'];
  if (options.includes('${{')) return [`options that are worked out: ${options}`];
  // act splits words and puts in no variables, which are for the shell of a health check.
  const words = options.includes('\\') ? null : wordsOf(options);
  if (words === null) return [`options that a shell would read otherwise: ${options}`];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [flag = ''] = word.split('=');
    if (FLAGS_WITH_VALUE.has(flag)) at += flag === word ? 1 : 0;
    else if (!FLAGS.has(word)) return [`the option ${word}`];
  }
  return [];
}

/** Null where a quote is open at the end. */
function wordsOf(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (const character of text) {
    if (quote !== null) {
      if (character === quote) quote = null;
      else word = (word ?? '') + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + character;
  }
  if (word !== null) words.push(word);
  return quote === null ? words : null;
}

/** The syntax layer has counted aliases: here none is too many, since what cannot be read is not refused. */
function parsedOrNull(text: string): unknown {
  try {
    return parse(text, { logLevel: 'silent', maxAliasCount: -1 });
  } catch {
    return null;
  }
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
