import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { placed, readCampaignFile } from '../config/campaign-file.js';
import { candidatePath, keyProblems, pathProblem } from '../config/preflight.js';
import type { YamlSource } from '../config/yaml-source.js';
import type { CampaignSpec } from '../contract/campaign.js';
import type { Problem } from '../contract/problem.js';
import type { Suite } from '../ports/suite.js';
import { CommandProblem } from './command-problem.js';
import type { Session } from './session.js';

/** A campaign file that was read and checked, with the user's own candidates packed. */
export interface CheckedCampaign {
  spec: CampaignSpec;
  suite: Suite;
  /** System id → its packed candidate. */
  snapshots: Map<string, { tar: Buffer; files: number }>;
}

/**
 * Reads a campaign file and checks all that can be checked without a server: shape, names, key variables, candidates.
 * @throws CommandProblem with everything that is wrong
 */
export async function readCampaign(session: Session, file: string): Promise<CheckedCampaign> {
  const { SUITES } = await import('../../tasks/suites.js');
  const path = resolve(session.cwd, file);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error);
  });
  const reading = readCampaignFile({ text, file, suites: SUITES });
  if ('problems' in reading) throw new CommandProblem(reading.problems);
  const suite = SUITES.find((each) => each.manifest.id === reading.spec.suite)!;
  const { snapshots, problems } = await packSnapshots({ ...reading, suite, path });
  const selection = await selectionProblems(session, { ...reading, suite });
  const all = [...selection, ...keyProblems(reading, session.environment().variable), ...problems];
  if (all.length > 0) throw new CommandProblem(all);
  return { spec: reading.spec, suite, snapshots };
}

/** What the locks say against the `dataset` part: ids of tasks that are not there. Damaged locks are thrown on. */
async function selectionProblems(
  session: Session,
  { spec, source, suite }: { spec: CampaignSpec; source: YamlSource; suite: Suite },
): Promise<Problem[]> {
  const folder = join(session.packageRoot, 'tasks', suite.manifest.id);
  try {
    await suite.dataset.select(spec.dataset, spec.seed, folder);
    return [];
  } catch (error) {
    const { problems } = error as { problems?: readonly Problem[] };
    if (problems === undefined) throw error;
    return problems.map(({ what, allowed, remedy }) => ({
      what: placed({ what, allowed, remedy }, source).what,
      allowed,
      remedy,
    }));
  }
}

async function packSnapshots(campaign: {
  spec: CampaignSpec;
  source: YamlSource;
  suite: Suite;
  path: string;
}): Promise<{ snapshots: CheckedCampaign['snapshots']; problems: Problem[] }> {
  const { spec, source, suite, path } = campaign;
  const snapshots: CheckedCampaign['snapshots'] = new Map();
  const problems: Problem[] = [];
  for (const [index, system] of spec.systems.entries()) {
    if (system.path === null || suite.packCandidate === undefined) continue;
    const missing = await pathProblem({ path: system.path, campaignFile: path, index, source });
    if (missing !== undefined) {
      problems.push(missing);
      continue;
    }
    const packed = await suite.packCandidate(candidatePath(system.path, path));
    if ('problems' in packed) {
      const place = `${source.place(['systems', index, 'path'])}: systems[${index}].path`;
      problems.push(...packed.problems.map((problem) => ({ ...problem, what: `${place}: ${problem.what}` })));
    } else snapshots.set(system.id, packed);
  }
  return { snapshots, problems };
}

function unreadable(file: string, error: NodeJS.ErrnoException): CommandProblem {
  const why =
    error.code === 'ENOENT'
      ? 'does not exist'
      : error.code === 'EISDIR'
        ? 'is a folder'
        : `cannot be read (${error.code})`;
  return new CommandProblem({
    what: `the campaign file ${file} ${why}`,
    allowed: 'a YAML file such as examples/quickstart/campaign.yaml',
    remedy: 'give the path of an existing file',
  });
}
