import { pinKind, type Pins } from './pins.js';
import type { CheckScore } from './token-permissions.js';
import { mapping, textOf, type WorkflowValues } from './workflow-values.js';

/** Something that is fetched while a workflow runs. */
interface Dependency {
  kind: 'github-action' | 'action' | 'image' | 'pip' | 'npm' | 'go' | 'download';
  name: string;
  isPinned: boolean;
}

/** Of actions, where there are both kinds. */
const WEIGHTS = { 'github-action': 2, action: 8 } as const;

/**
 * Scorecard's Pinned-Dependencies for workflows: the share of what is fetched that is named by its content, averaged over
 * kinds. A commit that the table does not know pins nothing.
 */
export function pinnedDependencies(workflows: readonly WorkflowValues[], pins: Pick<Pins, 'pins'>): CheckScore {
  const all = workflows.flatMap((workflow) => dependenciesOf(workflow, pins));
  const actions = all.filter(({ kind }) => kind in WEIGHTS);
  const others = (['image', 'pip', 'npm', 'go', 'download'] as const).map((kind) =>
    all.filter((one) => one.kind === kind),
  );
  const scores = [actionScore(actions), ...others.map(share)].filter((score) => score !== null);
  const mean = scores.length === 0 ? 10 : scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return {
    score: Math.floor(mean),
    findings: all.filter(({ isPinned }) => !isPinned).map(({ name }) => `${name} is not pinned`),
  };
}

/** 0 to 10; null where there is none. */
function share(dependencies: readonly Dependency[]): number | null {
  if (dependencies.length === 0) return null;
  return Math.floor((10 * dependencies.filter(({ isPinned }) => isPinned).length) / dependencies.length);
}

function actionScore(actions: readonly Dependency[]): number | null {
  const kinds = new Set(actions.map(({ kind }) => kind));
  if (kinds.size < 2) return share(actions);
  const weight = ({ kind }: Dependency): number => WEIGHTS[kind as keyof typeof WEIGHTS];
  const sum = (list: readonly Dependency[]): number => list.reduce((total, one) => total + weight(one), 0);
  return Math.floor((10 * sum(actions.filter(({ isPinned }) => isPinned))) / sum(actions));
}

function dependenciesOf({ jobs }: WorkflowValues, pins: Pick<Pins, 'pins'>): Dependency[] {
  return jobs.flatMap(({ job, steps }) => [
    ...used(textOf(job.uses), pins),
    ...images(job),
    ...steps.flatMap(({ uses, run }) => [...used(textOf(uses), pins), ...installed(textOf(run))]),
  ]);
}

function used(uses: string, pins: Pick<Pins, 'pins'>): Dependency[] {
  const kind = pinKind(uses, pins);
  if (uses === '' || kind === 'local') return [];
  if (kind === 'digest' || kind === 'image-tag') return [{ kind: 'image', name: uses, isPinned: kind === 'digest' }];
  const isGitHubs = /^(?:actions|github)\//i.test(uses);
  return [{ kind: isGitHubs ? 'github-action' : 'action', name: uses, isPinned: kind === 'verified' }];
}

function images(job: Record<string, unknown>): Dependency[] {
  const container = typeof job.container === 'string' ? job.container : textOf(mapping(job.container).image);
  const services = Object.values(mapping(job.services)).map((service) => textOf(mapping(service).image));
  return [container, ...services]
    .filter((image) => image !== '' && !image.includes('${{'))
    .map((image) => ({ kind: 'image', name: image, isPinned: /@sha256:[0-9a-f]{64}$/.test(image) }));
}

/** Packages that a script fetches, command by command. */
function installed(run: string): Dependency[] {
  const commands = run.replace(/\\\n/g, ' ').split(/\n|&&|\|\||;/);
  return commands.flatMap((written): Dependency[] => {
    const command = written.trim();
    const found = (kind: Dependency['kind'], isPinned: boolean): Dependency[] => [
      { kind, name: command.slice(0, 80), isPinned },
    ];
    if (/\b(?:curl|wget)\b.*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/.test(command)) return found('download', false);
    if (/\bpip3?\s+install\b/.test(command)) return found('pip', isPinnedByPip(command));
    if (/\bnpm\s+(?:ci|install-clean)\b/.test(command)) return found('npm', true);
    if (/\bnpm\s+(?:install|i|add|update|install-test)\b/.test(command)) return found('npm', false);
    if (/\bgo\s+(?:install|get)\b/.test(command))
      return found('go', /@[0-9a-f]{12,40}\b|@v\d+\.\d+\.\d+/.test(command) || /\s\.\/?/.test(command));
    return [];
  });
}

/** Hashes are asked for, or nothing but the project itself is installed. */
function isPinnedByPip(command: string): boolean {
  if (/--require-hashes/.test(command)) return true;
  const words = (command.split(/\binstall\b/)[1] ?? '').trim().split(/\s+/);
  const named = words.filter((word) => !word.startsWith('-'));
  return (
    named.length > 0 &&
    named.every((word) => /^\.(?:\/|\[|$)|\.whl$|^git\+.*@[0-9a-f]{40}/.test(word)) &&
    !words.includes('-r')
  );
}
