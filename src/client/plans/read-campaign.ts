import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { placed, readCampaignFile, type CampaignDraft } from '../../config/campaign-file.js';
import { keyProblems, missingFile, notifyProblems, pathFromFile, rulesProblems } from '../../config/preflight.js';
import { needsOf } from '../../config/suite-rules.js';
import { inFileOrder, problemAt } from '../../domain/shape/shape-problems.js';
import type { YamlSource } from '../../domain/shape/yaml-source.js';
import type { CampaignSpec, ModelSpec } from '../../contract/campaign.js';
import { MAX_TRIALS } from '../../domain/campaign/expand-plan.js';
import type { Problem } from '../../contract/problem.js';
import type { Suite } from '../../suite/suite.js';
import { scriptedUrls } from '../machine/scripted-models.js';
import { readOptionFiles, type OptionFiles } from './option-files.js';
import type { Context } from '../context.js';
import { problemLines } from '../../domain/failure/problem-text.js';
import { UserError } from '../../domain/failure/user-error.js';
import { systemWords } from '../../domain/failure/system-words.js';
import { suiteFolder } from '../../config/suite-folder.js';
import { allSuites } from '../../suite/registry.js';

/** Thousands of systems fit. */
const LONGEST_FILE_BYTES = 1024 ** 2;
const UNREADABLE: Readonly<Record<string, string>> = { ENOENT: 'does not exist', EISDIR: 'is a folder' };

/** A campaign file that was read and checked, with the user's own candidates packed. */
export interface CheckedCampaign {
  spec: CampaignSpec;
  suite: Suite;
  /** System id → its packed candidate. */
  snapshots: Map<string, { tar: Buffer; files: number }>;
  /** What need not stop it: told already (`Context.notify`). */
  warnings: readonly Problem[];
}

/**
 * Reads a campaign file and checks all that can be checked without a server: shape, names, key variables, candidates, files of options.
 * @param checks `missingKeys`: whether a key variable that is not set is a problem (the default) or only a warning
 * @throws UserError with everything that is wrong
 */
export async function readCampaign(
  context: Context,
  file: string,
  checks: { missingKeys?: 'problem' | 'warning' } = {},
): Promise<CheckedCampaign> {
  const suites = await allSuites(context.environment());
  const path = resolve(context.cwd, file);
  const text = await readText(path, file);
  const reading = readCampaignFile({ text, file, suites });
  const { draft } = reading;
  const ofText = 'problems' in reading ? reading.problems : [];
  if (draft === null) throw new UserError('usage', ofText);
  const suite = suites.find((each) => each.manifest.id === draft.raw.suite);
  const { snapshots, problems } = await packSnapshots({ draft, suite, path });
  const options = await readOptionFiles({ draft, suite, path });
  const { variable } = context.environment();
  const keys = [...keyProblems(draft, variable), ...notifyProblems(draft, variable)];
  const keysOnlyWarn = checks.missingKeys === 'warning';
  const warnings: Problem[] = keysOnlyWarn ? keys : [];
  const ofMachine = [...(keysOnlyWarn ? [] : keys), ...rulesProblems(draft, path), ...problems, ...options.problems];
  const all = [...ofText, ...(await taskProblems(context, draft, suite)), ...ofMachine];
  if (!('problems' in reading))
    warnings.push(...(suite?.campaignWarnings?.(reading.spec) ?? []).map((message) => ({ message })));
  for (const warning of warnings)
    context.notify({ type: 'warning', message: `warning: ${problemLines(warning).join('\n  ')}` });
  if ('problems' in reading || suite === undefined || all.length > 0) throw new UserError('usage', inFileOrder(all));
  const spec = await withScriptedModels(context, withOptions(reading.spec, options.files), path);
  return { spec, suite, snapshots, warnings };
}

/** Models that answer from rules get the address at which this project's stack serves them. */
async function withScriptedModels(context: Context, spec: CampaignSpec, file: string): Promise<CampaignSpec> {
  const rulesOf = ({ rules }: ModelSpec): string | undefined => rules && pathFromFile(rules, file);
  const urls = await scriptedUrls(
    context,
    new Set(Object.values(spec.models).flatMap((model) => rulesOf(model) ?? [])),
  );
  const models = Object.entries(spec.models).map(([key, model]): [string, ModelSpec] => {
    const rules = rulesOf(model);
    return [key, rules === undefined ? model : { ...model, rules, baseUrl: urls.get(rules)! }];
  });
  return { ...spec, models: Object.fromEntries(models) };
}

/** What stands in files becomes part of the spec, and so of its lock. */
function withOptions(spec: CampaignSpec, files: OptionFiles): CampaignSpec {
  const systems = spec.systems.map((system) => ({
    ...system,
    options: { ...system.options, ...files.get(system.id) },
  }));
  return { ...spec, systems };
}

async function readText(path: string, file: string): Promise<string> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, UNREADABLE[error.code ?? ''] ?? `cannot be read: ${systemWords(error)}`);
  });
  if (bytes.length > LONGEST_FILE_BYTES) throw unreadable(file, `has ${bytes.length} bytes`);
  if (!isUtf8(bytes)) throw unreadable(file, 'is not UTF-8');
  return bytes.toString('utf8');
}

/** What the locks say against the `dataset` part: ids that are not there, and how many trials it makes. Damaged locks are thrown on. */
async function taskProblems(context: Context, draft: CampaignDraft, suite: Suite | undefined): Promise<Problem[]> {
  const { dataset, source, raw } = draft;
  if (suite === undefined || dataset === null) return [];
  const folder = suiteFolder(context.packageRoot, suite);
  try {
    const { tasks } = await suite.dataset.select(dataset, 0, folder);
    const systems = Array.isArray(raw.systems) ? raw.systems.length : 0;
    const trials = tasks.length * systems * Number(raw.repeats ?? 1);
    return trials > MAX_TRIALS ? [tooMany(trials, source)] : [];
  } catch (error) {
    const { problems } = error as { problems?: readonly Problem[] };
    if (problems === undefined) throw error;
    return problems.map((problem) => placed(problem, source));
  }
}

async function packSnapshots(campaign: {
  draft: CampaignDraft;
  suite: Suite | undefined;
  path: string;
}): Promise<{ snapshots: CheckedCampaign['snapshots']; problems: Problem[] }> {
  const { draft, suite, path: campaignFile } = campaign;
  const { source } = draft;
  const snapshots: CheckedCampaign['snapshots'] = new Map();
  const problems: Problem[] = [];
  for (const { index, id, path } of snapshotPaths(draft, suite)) {
    const missing = missingFile(
      { path, campaignFile, place: ['systems', index, 'path'], source },
      'a folder or archive',
    );
    const packed = missing ? undefined : await suite?.packCandidate?.(pathFromFile(path, campaignFile));
    if (missing !== undefined) problems.push(missing);
    else if (packed !== undefined && 'problems' in packed)
      problems.push(
        ...packed.problems.map((problem) => placed({ ...problem, path: ['systems', index, 'path'] }, source)),
      );
    else if (packed !== undefined) snapshots.set(id, packed);
  }
  return { snapshots, problems };
}

/** The systems that are graded from a path of the user's. */
function snapshotPaths(draft: CampaignDraft, suite: Suite | undefined): { index: number; id: string; path: string }[] {
  const systems: unknown[] = Array.isArray(draft.raw.systems) ? draft.raw.systems : [];
  return systems.flatMap((system, index) => {
    const { id, generator, path } = (system ?? {}) as Record<string, unknown>;
    const isTaken = typeof generator === 'string' && needsOf(suite, generator)?.needsPath === true;
    return isTaken && typeof path === 'string' && path !== '' ? [{ index, id: String(id), path }] : [];
  });
}

function tooMany(trials: number, source: YamlSource): Problem {
  return problemAt(source, ['repeats'], {
    message: `systems × tasks × repeats are ${trials} trials`,
    expected: `at most ${MAX_TRIALS} trials in a campaign`,
    fix: 'lower repeats or dataset.limit, or split the file into several campaigns',
  });
}

function unreadable(file: string, why: string): UserError {
  return new UserError('usage', {
    message: `the campaign file ${file} ${why}`,
    expected: `a YAML file such as examples/quickstart/campaign.yaml, in UTF-8 and of at most ${LONGEST_FILE_BYTES / 1024 ** 2} MiB`,
    fix: 'give the path of such a file',
  });
}
