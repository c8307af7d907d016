/**
 * How often the failure class of a trial is right, on labelled candidates: what was changed is known there, so is whose
 * failure it is. On the records of a calibration that has ended:
 *
 *   npx durabench calibrate repocraft --project requests --tasks 20 --kind renamed,reworded,partial-60,mutated,stubbed,decoys,constant-none,constant-error
 *   npx tsx bench/repocraft/failure-classes.ts [CAMPAIGN]                     (default: latest)
 *   npx tsx bench/repocraft/failure-classes.ts [CAMPAIGN] --sheet 50 --seed 1 [--except TASK,TASK]
 *
 * Then how often a match is marked as called like another definition of the reference, by kind: of right matches that is an error.
 *
 * With second looks: add `judge: { second_look: true }` to the file that `calibrate` has left in .durabench/calibrate, and
 * `durabench run` it; then the accuracy without them is printed as well, and how many looks there were.
 *
 * Prints, for all voters and for each, how many failed trials of each true class got which class, and the accuracy with its
 * 95 % Wilson interval. Finer classes count as the one before the dot. With `--sheet` it prints so many failed trials of
 * any campaign of RepoCraft to be read by hand instead, without their class and without what a second look found, and not of the
 * tasks that `--except` names, such as those that were read before; `--key` prints the classes in the same order, the one that names
 * and votes alone would have given first.
 */
import { parseArgs } from 'node:util';
import { campaignNamed } from '../../src/client/campaigns/campaign-named.js';
import { withConnection, type Connection } from '../../src/client/connection.js';
import { trialDetail } from '../../src/client/inspect/trial-detail.js';
import { openContext } from '../../src/client/open-context.js';
import { wilsonInterval } from '../../src/domain/statistics/statistics.js';
import { sha256Hex } from '../../src/domain/text/content-hash.js';
import { plainTable } from '../../src/report/result-table.js';
import type { CampaignSpec } from '../../src/contract/campaign.js';
import type { StepRow, TrialRow } from '../../src/ports/records.js';
import { readFacts, type TrialFacts } from '../../tasks/repocraft/calibration/trial-facts.js';
import { repocraftFailures } from '../../tasks/repocraft/failures/failure-analysis.js';
import type { AdaptResult, Located, RunResult, VoteResult } from '../../tasks/repocraft/results.js';
import { judge } from '../../tasks/repocraft/stages/judge.js';
import { readJsonBlob } from '../../src/suite-kit/json-blobs.js';
import { PACKAGE_ROOT } from '../../tests/fixtures/package-root.js';

/** Matches that are voted on (`judge.vote.top`). */
const VOTED_ON = 3;

/** A failed trial with what is known of it. */
interface Known {
  trial: TrialRow;
  fact: TrialFacts;
  truth: string;
  given: string;
  /** What it would have been given without a second look. */
  atOnce: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sheet: { type: 'string' },
    key: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    except: { type: 'string', default: '' },
  },
});
const context = openContext({ folder: PACKAGE_ROOT, variables: process.env });
await withConnection(context, async (connection) => {
  const id = await campaignNamed(connection, positionals[0] ?? 'latest');
  const trials = await connection.records.trials(id);
  const failed = trials.filter(({ outcome }) => outcome === 'failed');
  if (values.sheet !== undefined) return printSheet(connection, drawn(failed, Number(values.sheet)));
  const graded = await gradedTrials(connection, id, trials);
  const known = graded.flatMap((each) => (each.trial.outcome === 'failed' ? [knownOf(each)] : []));
  printAccuracy(known);
  printMarks(graded);
  printLooks(graded);
});

/** A trial with its records. */
interface Graded {
  trial: TrialRow;
  fact: TrialFacts;
  steps: readonly StepRow[];
}

async function gradedTrials(
  { records, blobs }: Connection,
  id: string,
  trials: readonly TrialRow[],
): Promise<Graded[]> {
  const { spec } = (await records.campaign(id)) as { spec: CampaignSpec };
  const generations = [];
  for (const row of await records.generations(id)) generations.push(await records.generation(row.id));
  const graded: Graded[] = [];
  for (const trial of trials) {
    const { steps } = await records.trial(trial.id);
    const [fact] = (await readFacts({ spec, trials: [{ trial, steps }], generations, blobs })).facts;
    if (fact !== undefined && fact.expected !== 'unsound') graded.push({ trial, fact, steps });
  }
  return graded;
}

function knownOf({ trial, fact, steps }: Graded): Known {
  const given = coarse(repocraftFailures.classOf(trial));
  const atOnce = trial.metrics.second_look === 1 ? coarse(classAtOnce(steps)) : given;
  return { trial, fact, truth: truthOf(fact), given, atOnce };
}

/** Of trials where nothing is called like the target. */
function printMarks(graded: readonly Graded[]): void {
  const kinds = new Map<string, { right: boolean; marked: boolean }[]>();
  for (const { fact, steps } of graded) {
    const located = resultOf(steps, 'localize') as Located | undefined;
    if (located?.sameName !== false) continue;
    const seen = located.matches.map(({ otherName }, index) => ({
      right: fact.matches[index]?.right === true,
      marked: otherName === true,
    }));
    kinds.set(fact.word, [...(kinds.get(fact.word) ?? []), ...seen]);
  }
  const share = (all: { marked: boolean }[]): string => `${all.filter(({ marked }) => marked).length} of ${all.length}`;
  const rows = [...kinds].map(([word, all]) => [
    ...[word, share(all.filter(({ right }) => right)), share(all.filter(({ right }) => !right))],
  ]);
  console.log('\nnothing is called like the target; matches called like another definition of the reference\n');
  console.log(plainTable(['kind', 'of right ones', 'of others'], rows));
}

function printLooks(graded: readonly Graded[]): void {
  const looks = graded.flatMap(({ steps }) => steps.filter(({ step }) => /^look-\d/.test(step)));
  const trials = graded.filter(({ trial }) => trial.metrics.second_look !== undefined);
  const ran = looks.filter(({ evidence }) => evidence.some(({ name }) => name === 'report.json'));
  if (trials.length > 0)
    console.log(`\n${looks.length} looks at ${trials.length} trials, of which ${ran.length} ran a test`);
}

/** By the records of a trial without its second look: it was voted down, unbound, or had failed. */
function classAtOnce(steps: readonly StepRow[]): string | null {
  const votes = steps.filter(({ stage }) => stage === 'vote').map(({ result }) => result as unknown as VoteResult);
  const { reasons } = judge({
    located: resultOf(steps, 'localize') as Located,
    adapted: (resultOf(steps, 'execute', 'adapt') ?? null) as AdaptResult | null,
    run: (resultOf(steps, 'execute', 'run') ?? null) as RunResult | null,
    ...{ votes, control: null },
  });
  return reasons.at(-1) ?? null;
}

function coarse(code: string | null): string {
  return (code ?? 'class.none').split('.')[1]!;
}

/**
 * Whose failure it is, by construction. What is gone is `planning`: the system has nothing of the kind. What is there and not
 * among the matches that are voted on is lost by the search. A library whose own tests fail on it is wrong (`generation`),
 * whoever noticed; one whose tests pass was lost by the voters, by the adaptation, or else while it ran.
 */
function truthOf({ target, expected, matches, decisions, adaptation }: TrialFacts): string {
  if (target === null) return 'planning';
  if (!matches.slice(0, VOTED_ON).some(({ right }) => right)) return 'localization';
  if (expected === 'failed') return 'generation';
  if (!decisions.some(({ right, accepted }) => right && accepted)) return 'validation';
  return adaptation === null || adaptation.refused !== null || adaptation.wrong.length > 0 ? 'adaptation' : 'execution';
}

function printAccuracy(known: readonly Known[]): void {
  const voters = [...new Set(known.map(({ fact }) => fact.voter))];
  const given = [...new Set(known.map((each) => each.given))].sort();
  for (const voter of voters) {
    const own = known.filter(({ fact }) => fact.voter === voter);
    const rows = groupsOf(own, ({ truth }) => truth).map(([truth, trials]) => [
      ...[truth, ...given.map((name) => String(trials.filter((each) => each.given === name).length))],
      accuracy(trials),
    ]);
    console.log(`\nvoter ${voter}: rows are what is true, columns what was given\n`);
    console.log(plainTable(['true', ...given, 'right'], [...rows, ['all', ...given.map(() => ''), accuracy(own)]]));
    const kinds = groupsOf(own, ({ fact }) => fact.word).map(([word, trials]) => [word, accuracy(trials)]);
    console.log(`\n${plainTable(['kind', 'right'], kinds)}`);
  }
  const wrong = known.filter(({ truth, given: name }) => truth !== name);
  console.log('\nwrong ones:\n');
  for (const { trial, truth, given: name } of wrong)
    console.log(`${trial.id}: ${truth}, given ${name} (${trial.reason})`);
  for (const [project, trials] of groupsOf(known, ({ fact }) => fact.project))
    console.log(`\n${project}: ${accuracy(trials)}`);
  console.log(`\nall: ${accuracy(known)}`);
  if (known.every(({ trial }) => trial.metrics.second_look === undefined)) return;
  for (const voter of [...voters, null]) {
    const own = known.filter(({ fact }) => voter === null || fact.voter === voter);
    console.log(
      `without a second look, ${voter ?? 'all'}: ${accuracy(own.map((each) => ({ ...each, given: each.atOnce })))}`,
    );
  }
}

function groupsOf(known: readonly Known[], of: (each: Known) => string): [string, Known[]][] {
  const groups = new Map<string, Known[]>();
  for (const each of known) groups.set(of(each), [...(groups.get(of(each)) ?? []), each]);
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
}

function accuracy(known: readonly Known[]): string {
  const right = known.filter(({ truth, given }) => truth === given).length;
  const interval = wilsonInterval(right, known.length);
  if (interval === null) return '–';
  const [share, low, high] = [right / known.length, interval.low, interval.high].map((rate) => (rate * 100).toFixed(1));
  return `${right} / ${known.length} = ${share} % [${low}, ${high}]`;
}

/** A sample by the hash of seed and id; of the id what is behind the campaign, so that another run of its file draws the same. */
function drawn(failed: readonly TrialRow[], size: number): TrialRow[] {
  const known = new Set(values.except.split(','));
  const keyOf = ({ id }: TrialRow): string => sha256Hex(`${values.seed} ${id.slice(id.indexOf('/') + 1)}`);
  const unknown = failed.filter(({ taskId }) => !known.has(taskId));
  return unknown.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)).slice(0, size);
}

async function printSheet(connection: Connection, trials: readonly TrialRow[]): Promise<void> {
  for (const [index, trial] of trials.entries()) {
    const { steps, votes, task } = await trialDetail(connection, trial.id);
    if (values.key) {
      const given = repocraftFailures.classOf(trial);
      console.log([index + 1, trial.id, classAtOnce(steps), given, trial.reason].join('\t'));
      continue;
    }
    console.log(`\n## ${index + 1}\n\nasked: ${short(task?.asked ?? '', 1000)}`);
    console.log(`test:\n${task?.test?.text ?? ''}`);
    const { matches } = resultOf(steps, 'localize') as Located;
    console.log(`searched: ${matches.map(({ name, score }) => `${name} ${score}`).join(', ')}`);
    for (const vote of votes) console.log(`vote on ${vote.match}: ${vote.answer}, ${short(vote.reason, 200)}`);
    console.log(`adapted: ${JSON.stringify(resultOf(steps, 'execute', 'adapt'))?.slice(0, 300)}`);
    console.log(`run: ${JSON.stringify(resultOf(steps, 'execute', 'run'))?.slice(0, 400)}`);
    const report = steps.findLast(({ step }) => step === 'run')?.evidence.find(({ name }) => name === 'report.json');
    if (report !== undefined)
      console.log(
        `said: ${short((await readJsonBlob<RunResult>(connection.blobs, report.sha256)).message ?? '', 500)}`,
      );
  }
}

function resultOf(steps: readonly StepRow[], stage: string, step?: string): unknown {
  return steps.findLast((row) => row.stage === stage && (step === undefined || row.step === step))?.result;
}

function short(text: string, most: number): string {
  return text.replace(/\s+/g, ' ').slice(0, most);
}
