import { resolve } from 'node:path';
import { graderChanges } from '../../domain/campaign/grader-changes.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { TaskOutcome } from '../../ports/records.js';
import {
  comparedPairs,
  type ComparedPair,
  type ComparedSystem,
  type PairInput,
} from '../../report/results/comparison.js';
import { systemName } from '../../report/results/comparison-tables.js';
import { counted } from '../../report/text/number-text.js';
import type { Connection } from '../connection.js';
import { gradedSide, type GradedSide } from './graded-side.js';
import { isInspectLog, readInspectLog, type InspectSide } from './inspect-side.js';

/** Systems compared task by task. */
export interface Comparison {
  pairs: ComparedPair[];
  /** What to keep in mind beside the figures. */
  notes: string[];
}

/**
 * Compares systems on the tasks both were graded on. `CAMPAIGN` alone: all its systems with one another; two campaigns:
 * systems of equal id, or the only one of each; `CAMPAIGN/SYSTEM`: that system; the path of a log of Inspect on one side:
 * with each system of the other. Of an experiment alone: each variant with the baseline, and what that decides.
 * @param cwd where paths begin
 * @throws UserError for a campaign that has not ended, another dataset or grader, and without a common task
 */
export async function compareSystems(
  connection: Connection,
  one: string,
  { other, cwd = '.' }: { other?: string | undefined; cwd?: string } = {},
): Promise<Comparison> {
  const [log] = [one, other].flatMap((wanted) => (wanted !== undefined && isInspectLog(wanted) ? [wanted] : []));
  if (log !== undefined) return compareWithLog(connection, log, { one, other, cwd });
  const a = await gradedSide(connection, one);
  const b = other === undefined ? a : await gradedSide(connection, other);
  refuseOtherGraders(a, b);
  refuseOtherTasks(a, b);
  const { experiment, seed } = a.campaign.spec;
  const decides = other === undefined && a.system === null ? experiment : undefined;
  const asked = decides === undefined ? systemsOf(a, b, other === undefined) : variantsOf(a, decides.baseline);
  const pairs = comparedPairs(asked, seed, decides?.smallestEffect);
  if (pairs.length === 0) throw nothingInCommon(asked);
  return { pairs, notes: notesOf(a, b, pairs, asked) };
}

/** A campaign beside what another program wrote of the same tasks. */
async function compareWithLog(
  connection: Connection,
  log: string,
  { one, other, cwd }: { one: string; other: string | undefined; cwd: string },
): Promise<Comparison> {
  const wanted = one === log ? other : one;
  if (wanted === undefined || isInspectLog(wanted))
    throw new UserError('usage', {
      message: `${log} has no campaign to be compared with`,
      expected: 'a campaign on one side, and a log of Inspect on the other',
      fix: `durabench compare CAMPAIGN/SYSTEM ${log}`,
    });
  const inspect = await readInspectLog(resolve(cwd, log), log);
  const side = await gradedSide(connection, wanted);
  const groups = new Map(side.outcomes.map(({ taskId, group }) => [taskId, group]));
  const outcomes = inspect.outcomes.map((outcome) => ({ ...outcome, group: groups.get(outcome.taskId) ?? '' }));
  const systems = side.system === null ? side.campaign.spec.systems.map(({ id }) => id) : [side.system];
  const asked = systems.map((id): PairInput => {
    const [ours, theirs] = [named(side, id), inspect.system];
    const own = outcomesOf(side, id);
    return {
      ...(one === log ? { a: theirs, b: ours } : { a: ours, b: theirs }),
      outcomes: one === log ? [outcomes, own] : [own, outcomes],
      columns: [],
    };
  });
  const pairs = comparedPairs(asked, side.campaign.spec.seed);
  if (pairs.length === 0) throw nothingInCommon(asked);
  return { pairs, notes: [...notesOfLog(inspect), ...notesOf(side, side, pairs, asked)] };
}

function notesOfLog({ system, task, scorer, scorers, status, partial, ungraded }: InspectSide): string[] {
  const others = scorers.filter((each) => each !== scorer);
  return [
    `† ${system.campaign} is a log of Inspect (task ${task}): its scorer ${scorer} graded it, not ours, and only the ids of its samples say that its tasks are these.`,
    ...(others.length > 0 ? [`† Its other scores are not looked at: ${others.join(', ')}.`] : []),
    ...(partial > 0 ? [`† ${counted(partial, 'sample')} with a part of the points count as failed.`] : []),
    ...(ungraded > 0 ? [`† ${counted(ungraded, 'sample')} with an error or without a score left out.`] : []),
    ...(status === 'success' ? [] : [`† It ended with the status ${status}: what was not run is left out.`]),
  ];
}

/** Which system is compared with which. */
function systemsOf(a: GradedSide, b: GradedSide, isOne: boolean): PairInput[] {
  const [ofA, ofB] = [a, b].map(({ campaign, system }) =>
    system === null ? campaign.spec.systems.map(({ id }) => id) : [system],
  );
  const pair = (one: string, other: string): PairInput => ({
    a: named(a, one),
    b: named(b, other),
    outcomes: [outcomesOf(a, one), outcomesOf(b, other)],
    columns: a.columns,
  });
  if (isOne) {
    if (ofA!.length > 1) return ofA!.flatMap((one, at) => ofA!.slice(at + 1).map((other) => pair(one, other)));
    throw new UserError('usage', {
      message: `${systemName(named(a, ofA![0]!))} alone has nothing to be compared with`,
      expected: 'a campaign with several systems, or two of them',
      fix: `durabench compare ${a.campaign.id} OTHER`,
    });
  }
  const isSame = a.campaign.id === b.campaign.id;
  if (ofA!.length === 1 && ofB!.length === 1 && !(isSame && ofA![0] === ofB![0])) return [pair(ofA![0]!, ofB![0]!)];
  const common = isSame ? [] : ofA!.filter((id) => ofB!.includes(id));
  if (common.length > 0) return common.map((id) => pair(id, id));
  throw isSame ? sameTwice(a) : noCommonSystem(a, b);
}

function sameTwice(side: GradedSide): UserError {
  const { id, spec } = side.campaign;
  const isAlone = spec.systems.length === 1;
  return new UserError('usage', {
    message: 'both sides are the same campaign',
    expected: isAlone ? 'another campaign' : `two of its systems: ${systemNames(side).slice(0, 6).join(', ')}`,
    fix: isAlone ? `durabench compare ${id} OTHER` : `durabench compare ${id}`,
  });
}

function noCommonSystem(a: GradedSide, b: GradedSide): UserError {
  const [one, other] = [a.campaign.id, b.campaign.id];
  return new UserError('usage', {
    message: `${one} and ${other} have no system of the same id`,
    expected: `one system of each: ${[a, b].flatMap(systemNames).slice(0, 6).join(', ')}`,
    fix: `durabench compare ${one}/SYSTEM ${other}/SYSTEM`,
  });
}

const systemNames = (side: GradedSide): string[] =>
  side.campaign.spec.systems.map(({ id }) => systemName(named(side, id)));

function variantsOf(side: GradedSide, baseline: string): PairInput[] {
  const variants = side.campaign.spec.systems.filter(({ id }) => id !== baseline);
  return variants.map(({ id }) => ({
    ...{ a: named(side, baseline), b: named(side, id) },
    outcomes: [outcomesOf(side, baseline), outcomesOf(side, id)],
    columns: side.columns,
  }));
}

const named = ({ campaign }: GradedSide, system: string): ComparedSystem => ({
  ...{ campaign: campaign.id, system, source: 'campaign' },
});

const outcomesOf = ({ outcomes }: GradedSide, system: string): TaskOutcome[] =>
  outcomes.filter(({ systemId }) => systemId === system);

function refuseOtherGraders(a: GradedSide, b: GradedSide): void {
  const changes = graderChanges(a.campaign, b.campaign);
  if (changes.length === 0) return;
  throw new UserError('usage', {
    message: `${a.campaign.id} and ${b.campaign.id} were graded differently: their locks differ in ${changes.map(({ part }) => part).join(', ')}`,
    expected: 'campaigns with the same suite, grader, judge, images and sandbox limits',
    fix: `run one of them again: durabench run FILE; or score it with the grader of now: durabench regrade ${a.campaign.id}`,
  });
}

/** A task of the same id that asks something else. */
function refuseOtherTasks(a: GradedSide, b: GradedSide): void {
  const hashes = new Map(a.outcomes.map(({ taskId, sha256 }) => [taskId, sha256]));
  const others = b.outcomes.filter(({ taskId, sha256 }) => hashes.has(taskId) && hashes.get(taskId) !== sha256);
  const [first] = others;
  if (first === undefined) return;
  const tasks = new Set(others.map(({ taskId }) => taskId)).size;
  throw new UserError('usage', {
    message: `${a.campaign.id} and ${b.campaign.id} are of different datasets: their locks differ in tasks (${tasks} of the same id, ${first.taskId} first)`,
    expected: `the same dataset; they have ${a.campaign.dataset} and ${b.campaign.dataset}`,
    fix: 'run one of them again with the dataset of the other',
  });
}

function nothingInCommon(asked: readonly PairInput[]): UserError {
  const [{ a, b, outcomes }] = asked as [PairInput];
  const ids = new Set(outcomes[0].map(({ taskId }) => taskId));
  const common = outcomes[1].filter(({ taskId }) => ids.has(taskId)).length;
  return new UserError('usage', {
    message:
      common === 0
        ? `${systemName(a)} and ${systemName(b)} have no task in common`
        : `${systemName(a)} and ${systemName(b)} have ${common} tasks in common, and none that was graded for both`,
    expected: 'systems that were graded on some of the same tasks',
    fix:
      common === 0
        ? 'run both on the same tasks (dataset of the campaign file)'
        : `durabench show ${[a, b].find(({ source }) => source === 'campaign')?.campaign}`,
  });
}

function notesOf(a: GradedSide, b: GradedSide, pairs: readonly ComparedPair[], asked: readonly PairInput[]): string[] {
  const votes = (side: GradedSide, id: string): string =>
    JSON.stringify(side.campaign.spec.systems.find((system) => system.id === id)?.vote ?? null);
  const judged = pairs
    .filter((pair) => [pair.a, pair.b].every(({ source }) => source === 'campaign'))
    .filter((pair) => votes(a, pair.a.system) !== votes(b, pair.b.system));
  const ended = [...new Set([a.campaign, b.campaign])].filter(({ status }) => status !== 'completed');
  const left = asked.length - pairs.length;
  return [
    ...judged.map(
      (pair) =>
        `${systemName(pair.a)} and ${systemName(pair.b)} have vote settings of their own: part of the difference may be the judge's.`,
    ),
    ...[
      ...new Set(ended.map(({ id, status }) => `${id} is ${status.replace('_', ' ')}: what was not run is left out.`)),
    ],
    ...reusingSides(a, b).map(
      ({ id, spend }) =>
        `${id} reused ${spend.reusedCalls} answers of other campaigns: where both sides have the same answer, chance is no part of their difference.`,
    ),
    ...(left > 0 ? [`No task was graded for both sides of ${counted(left, 'pair')}, left out here.`] : []),
  ];
}

/** Campaigns that took answers of others over, each once. */
const reusingSides = (...sides: GradedSide[]): GradedSide['campaign'][] =>
  [...new Map(sides.map(({ campaign }) => [campaign.id, campaign])).values()].filter(
    ({ spend }) => spend.reusedCalls > 0,
  );
