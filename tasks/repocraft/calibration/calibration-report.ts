import type { Json } from '../../../src/contract/json.js';
import { wilsonInterval } from '../../../src/domain/statistics/statistics.js';
import type { ReportCell, ReportTable, SuiteReport } from '../../../src/suite/report.js';
import { isConstantKind } from '../generators/derived/derive-settings.js';
import { calibrationFigures, type CalibrationFigures, type Share } from './calibration-figures.js';
import { calibrationGoals, type Goal } from './calibration-goals.js';
import type { TrialFacts } from './trial-facts.js';

/** Cases listed of each class of causes; the JSON has them all. */
const SHOWN_CASES = 12;

/** How often each stage was right, as data and as tables. */
export function calibrationReport(facts: readonly TrialFacts[], ungraded: number): SuiteReport {
  const groups = grouped(facts);
  const goals = calibrationGoals(facts);
  const figures = groups.map(({ key, of }) => ({ ...key, figures: calibrationFigures(of) }));
  const tables = [
    goalTable(goals, ungraded),
    ...baselineTable(facts),
    localizationTable(facts),
    voteTable(groups),
    adaptationTable(groups),
    executionTable(groups),
    causeTable(facts),
  ];
  return { metrics: { goals, figures, ungraded, trials: facts } as unknown as Json, tables };
}

interface Group {
  key: { project: string; kind: string; voter: string };
  of: TrialFacts[];
}

/** By project, kind and voter, in the order in which they come. */
function grouped(facts: readonly TrialFacts[]): Group[] {
  const groups = new Map<string, Group>();
  for (const fact of facts) {
    const key = { project: fact.project, kind: fact.word, voter: fact.voter };
    const name = JSON.stringify(key);
    groups.set(name, { key, of: [...(groups.get(name)?.of ?? []), fact] });
  }
  return [...groups.values()];
}

const text = (title: string): ReportTable['columns'][number] => ({ title, kind: 'text' });
const count = (title: string): ReportTable['columns'][number] => ({ title, kind: 'count' });
const rate = (title: string): ReportTable['columns'][number] => ({ title, kind: 'rate' });

/** A share with its counts and its Wilson interval. */
const shareCells = ({ hits, all }: Share): ReportCell[] => [
  `${hits} / ${all}`,
  all === 0 ? null : { value: hits / all, interval: wilsonInterval(hits, all) },
];
const shareColumns = (title: string): ReportTable['columns'] => [text(title), rate('95 %')];

function goalTable(goals: readonly Goal[], ungraded: number): ReportTable {
  const words = ({ bound, share }: Goal['asked']): string => `${bound.replace('-', ' ')} ${share * 100} %`;
  return {
    title: 'Goals',
    columns: [text('goal'), text('asked'), ...shareColumns('measured'), text('')],
    rows: goals.map(({ goal, asked, measured, held }) => [
      ...[goal, words(asked), ...shareCells(measured)],
      held === null ? 'not measured' : held ? 'held' : 'missed',
    ]),
    notes: ungraded === 0 ? [] : [`${ungraded} trials have no verdict and are in no figure.`],
  };
}

/** What candidates score that do nothing, beside the one that delivers nothing; no table where none was graded. */
function baselineTable(facts: readonly TrialFacts[]): ReportTable[] {
  const groups = grouped(facts.filter(({ kind, passed }) => isConstantKind(kind) && passed !== null));
  const rows = groups.map(({ key, of }): ReportCell[] => {
    const hits = of.filter(({ passed }) => passed === true).length;
    const caught = of.filter(({ reason }) => reason === 'candidate.vacuous').length;
    return [key.project, key.kind, key.voter, ...shareCells({ hits, all: of.length }), caught];
  });
  const columns = [
    ...[text('project'), text('baseline'), text('voter')],
    ...[...shareColumns('score'), count('passed vacuously')],
  ];
  const notes = [
    'What a score is worth: these do nothing, and `null`, which delivers nothing, has 0 everywhere.',
    'Passed vacuously: the test held, and so did an altered one that must fail; counts as failed.',
  ];
  return rows.length === 0 ? [] : [{ title: 'Baselines', columns, rows, notes }];
}

/**
 * The search does not depend on who votes: each task of a kind counts once. Which derivations broke their test is told by
 * running it.
 */
function localizationTable(facts: readonly TrialFacts[]): ReportTable {
  const isExecuted = facts.some(({ passed }) => passed !== null);
  const seen = new Set<string>();
  const once = facts.filter(({ task, word }) => {
    const isNew = !seen.has(`${task} ${word}`);
    seen.add(`${task} ${word}`);
    return isNew;
  });
  const rows = grouped(once.map((fact) => ({ ...fact, voter: '', word: searchedWord(fact) }))).map(
    ({ key, of }): ReportCell[] => {
      const { trials, unsound, recallAt1, recallAt3, recallAt5 } = calibrationFigures(of);
      const tasks = isExecuted ? [trials, unsound] : [trials];
      return [key.project, key.kind, ...tasks, ...[recallAt1, recallAt3, recallAt5].flatMap(shareCells)];
    },
  );
  return {
    title: 'Localization',
    columns: [
      text('project'),
      text('kind'),
      count('tasks'),
      ...(isExecuted ? [count('unsound')] : []),
      ...shareColumns('recall@1'),
      ...shareColumns('recall@3'),
      ...shareColumns('recall@5'),
    ],
    rows,
    notes: [
      'Right: what became of the main target, the class it is a method of, or a method of it.',
      ...(isExecuted ? ['Unsound: the derivation broke the test; nothing is expected of it.'] : []),
    ],
  };
}

/** Targets without a docstring stand apart. */
const searchedWord = ({ word, documented }: TrialFacts): string => (documented ? word : `${word}, no docstring`);

function table(
  title: string,
  columns: ReportTable['columns'],
  groups: readonly Group[],
  cells: (figures: CalibrationFigures) => ReportCell[] | null,
) {
  const rows = groups.flatMap(({ key, of }) => {
    const own = cells(calibrationFigures(of));
    return own === null ? [] : [[key.project, key.kind, key.voter, ...own]];
  });
  return { title, columns: [text('project'), text('kind'), text('voter'), ...columns], rows };
}

const voteTable = (groups: readonly Group[]): ReportTable => ({
  ...table(
    'Vote',
    [...shareColumns('precision'), ...shareColumns('recall'), ...shareColumns('accepted')],
    groups,
    ({ votePrecision, voteRecall, accepted }) => [votePrecision, voteRecall, accepted].flatMap(shareCells),
  ),
  notes: [
    'Precision: accepted matches that are right. Recall: right matches voted on that were accepted. Both only where the capability is there or gone; a voter that reads code may well reject a stub.',
    'Accepted: tasks with an accepted match.',
  ],
});

const adaptationTable = (groups: readonly Group[]): ReportTable => ({
  ...table('Adaptation', [...shareColumns('adapted'), ...shareColumns('right')], groups, (figures) =>
    figures.adaptAccepted.all === 0 ? null : [figures.adaptAccepted, figures.adaptCorrect].flatMap(shareCells),
  ),
  notes: ['Of tests expected to pass whose accepted match is right. Right: every name is bound to what became of it.'],
});

const executionTable = (groups: readonly Group[]): ReportTable => ({
  ...table(
    'Execution',
    [...shareColumns('false passes'), ...shareColumns('false fails'), ...shareColumns('passed, all stages')],
    groups,
    ({ falsePasses, falseFails, passed }) =>
      falsePasses.all + passed.all === 0 ? null : [falsePasses, falseFails, passed].flatMap(shareCells),
  ),
  notes: [
    'Expected to fail: plain pytest fails the test on the candidate itself. False fails: expected to pass, rightly voted and rightly bound, and failed. The last column is over all that was expected to pass.',
  ],
});

function causeTable(facts: readonly TrialFacts[]): ReportTable {
  const cases = facts.filter(({ expected }) => expected !== 'unsound').flatMap(causes);
  const classes = [...new Set(cases.map(({ cause }) => cause))].sort();
  const rows = classes.flatMap((cause) => {
    const own = cases.filter((one) => one.cause === cause);
    return own
      .slice(0, SHOWN_CASES)
      .map(({ where, what }, place) => [place === 0 ? cause : '', place === 0 ? own.length : null, where, what]);
  });
  return {
    title: 'Where it went wrong',
    columns: [text('class'), count('cases'), text('trial'), text('what')],
    rows,
    notes: [],
  };
}

/** What went wrong in one trial, by class; empty where nothing did. */
function causes(fact: TrialFacts): { cause: string; where: string; what: string }[] {
  const { expected, passed, adaptation, matches, target, decisions } = fact;
  const where = `${fact.task} ${fact.word} ${fact.voter}`;
  const isRight = decisions.some((one) => one.accepted && one.right);
  const found: { cause: string; what: string }[] = [];
  if (expected === 'failed' && passed === true)
    found.push({ cause: 'false pass', what: target ?? 'its target is gone' });
  if (target !== null && !matches.some((match) => match.right))
    found.push({ cause: 'not among the first five', what: target });
  if (expected === 'passed' && isRight) {
    if (adaptation?.refused)
      found.push({ cause: `refused: ${adaptation.refused}`, what: adaptation.message ?? target ?? '' });
    else if (adaptation !== null && adaptation.wrong.length > 0)
      found.push({ cause: 'bound wrongly', what: adaptation.wrong.join('; ') });
    else if (passed === false) found.push({ cause: 'false fail', what: fact.reason ?? '' });
  }
  return found.map((one) => ({ ...one, where }));
}
