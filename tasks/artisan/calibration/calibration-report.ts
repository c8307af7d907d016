import type { Json } from '../../../src/contract/json.js';
import { wilsonInterval } from '../../../src/domain/statistics/statistics.js';
import type { ReportCell, ReportTable, SuiteReport } from '../../../src/suite/report.js';
import type { MethodReport } from '../judge/method.js';
import { isPassing } from '../judge/verdict.js';
import type { Label } from './families.js';
import { misjudgedPairs, outputPairs } from './output-pairs.js';

/** A labelled script and what the judges made of it. */
export interface JudgedScript {
  task: string;
  study: string;
  family: string;
  /** Null where the task has no script of the family. */
  label: Label | null;
  /** It has a verdict. */
  isGraded: boolean;
  metrics: Readonly<Record<string, number | null>>;
  reason: string | null;
  /** What its text alone says; null where its table was wrong. */
  byText: Label | null;
  /** What a model says of its text; null where it named no method, undefined where none was asked. */
  byModel?: Label | null | undefined;
}

/** `unproven` is a copy by its status; `other`: the table was not right. */
type Judged = Label | 'unproven' | 'other';

const LABELS: readonly Label[] = ['full', 'last-mile', 'copied'];
const JUDGED: readonly Judged[] = [...LABELS, 'unproven', 'other'];

/**
 * What a judge makes of a script that reads its text and runs nothing: values of the table in it, or the name of a result file it
 * opened, make a copy; a derived file makes it the last mile. A rule, in the place of a model.
 */
export function textJudgement(script: string, { literals, opened }: Pick<MethodReport, 'literals' | 'opened'>): Label {
  if (literals.length > 0 || opened.some((file) => script.includes(file))) return 'copied';
  return script.includes('/derived/') ? 'last-mile' : 'full';
}

/** How often the judges were right, as data and as tables. */
export function calibrationReport(judged: readonly JudgedScript[]): SuiteReport {
  const scripts = judged.flatMap((script) => {
    const { label } = script;
    return label === null || !script.isGraded ? [] : [{ ...script, label, as: judgedAs(script) }];
  });
  const misses = scripts.filter(({ label, as }) => isMiss(label, as));
  const pairs = outputPairs();
  const misjudged = misjudgedPairs(pairs);
  const ungraded = judged.filter(({ label, isGraded }) => label !== null && !isGraded).length;
  const goals = goalsOf(scripts, { pairs, misjudged });
  return {
    metrics: {
      goals,
      scripts: scripts.map(({ task, study, family, label, as, byText, byModel, reason }) => ({
        task,
        study,
        family,
        label,
        as,
        byText,
        ...(byModel === undefined ? {} : { byModel }),
        reason,
      })),
      outputs: { pairs: pairs.length, misjudged: misjudged.map(({ change }) => change) },
      ungraded,
    } as unknown as Json,
    tables:
      judged.length === 0
        ? []
        : [goalTable(goals, ungraded), confusionTable(scripts), familyTable(scripts), missTable(misses)],
  };
}

type Script = JudgedScript & { label: Label; as: Judged };

function judgedAs({ metrics, reason }: JudgedScript): Judged {
  if (metrics.full === 1) return 'full';
  if (metrics.lastMile === 1) return 'last-mile';
  if (reason === 'copied.unproven') return 'unproven';
  return metrics.copied === 1 ? 'copied' : 'other';
}

/** A copy that nothing proves is no pass, as it should be. */
const isMiss = (label: Label, as: Judged): boolean => as !== label && !(label === 'copied' && as === 'unproven');

interface Goal {
  goal: string;
  asked: string;
  hits: number;
  all: number;
  held: boolean | null;
}

function goalsOf(
  scripts: readonly Script[],
  { pairs, misjudged }: { pairs: readonly { isRight: boolean }[]; misjudged: readonly { isRight: boolean }[] },
): Goal[] {
  const goal = (text: string, bound: ['least' | 'most', number], hits: number, all: number): Goal => {
    const isHeld = bound[0] === 'least' ? hits / all >= bound[1] : hits / all <= bound[1];
    return { goal: text, asked: `at ${bound[0]} ${bound[1] * 100} %`, hits, all, held: all === 0 ? null : isHeld };
  };
  const of = (label: Label): Script[] => scripts.filter((script) => script.label === label);
  const right = scripts.filter(({ label, as }) => !isMiss(label, as)).length;
  const lastMile = of('last-mile').filter(({ as }) => as === 'last-mile').length;
  const passed = of('copied').filter(({ as }) => isPassing(as)).length;
  const unproven = scripts.filter(({ as }) => as === 'unproven').length;
  const byText = scripts.filter(({ label, byText: said }) => said === label).length;
  const [good, bad] = [pairs.filter(({ isRight }) => isRight), pairs.filter(({ isRight }) => !isRight)];
  const lost = misjudged.filter(({ isRight }) => isRight).length;
  return [
    goal('scripts judged right', ['least', 0.97], right, scripts.length),
    goal('copied, taken for another class', ['most', 0], passed, of('copied').length),
    goal('last-mile, found', ['least', 0.95], lastMile, of('last-mile').length),
    goal('unproven', ['most', 0.05], unproven, scripts.length),
    goal('outputs: wrong accepted', ['most', 0], misjudged.length - lost, bad.length),
    goal('outputs: right accepted', ['least', 0.995], good.length - lost, good.length),
    {
      ...goal('for comparison: judged right by text alone (a rule)', ['least', 0], byText, scripts.length),
      asked: '–',
      held: null,
    },
    ...modelGoals(scripts, goal),
  ];
}

/** The same scripts as a model judged them by their text; nothing where none was asked. */
function modelGoals(
  scripts: readonly Script[],
  goal: (text: string, bound: ['least' | 'most', number], hits: number, all: number) => Goal,
): Goal[] {
  const asked = scripts.filter(({ byModel }) => byModel !== undefined);
  if (asked.length === 0) return [];
  const told = (text: string, own: readonly Script[]): Goal => ({
    ...goal(text, ['least', 0], own.filter(({ label, byModel }) => byModel === label).length, own.length),
    ...{ asked: '–', held: null },
  });
  return [
    told('for comparison: judged right by text alone (a model)', asked),
    told(
      'for comparison: last-mile, found by a model',
      asked.filter(({ label }) => label === 'last-mile'),
    ),
  ];
}

const text = (title: string): ReportTable['columns'][number] => ({ title, kind: 'text' });
const count = (title: string): ReportTable['columns'][number] => ({ title, kind: 'count' });

function goalTable(goals: readonly Goal[], ungraded: number): ReportTable {
  const measured = ({ hits, all }: Goal): ReportCell[] => [
    `${hits} / ${all}`,
    all === 0 ? null : { value: hits / all, interval: wilsonInterval(hits, all) },
  ];
  return {
    title: 'Goals',
    columns: [text('goal'), text('asked'), text('measured'), { title: '95 %', kind: 'rate' }, text('')],
    rows: goals.map((goal) => [
      goal.goal,
      goal.asked,
      ...measured(goal),
      goal.held === null ? '' : goal.held ? 'held' : 'missed',
    ]),
    notes: ungraded === 0 ? [] : [`${ungraded} trials have no verdict and are left out.`],
  };
}

function confusionTable(scripts: readonly Script[]): ReportTable {
  const row = (label: Label): ReportCell[] => {
    const own = scripts.filter((script) => script.label === label);
    return [label, own.length, ...JUDGED.map((as) => own.filter((script) => script.as === as).length)];
  };
  return {
    title: 'Method judge',
    columns: [text('label'), count('scripts'), ...JUDGED.map((as) => count(as))],
    rows: LABELS.map(row),
    notes: ['unproven fails as copied does: nothing shows that the table was computed.'],
  };
}

function familyTable(scripts: readonly Script[]): ReportTable {
  const isAsked = scripts.some(({ byModel }) => byModel !== undefined);
  const keys = [...new Set(scripts.map(({ family, label }) => JSON.stringify([family, label])))];
  return {
    title: 'By family',
    columns: [
      text('family'),
      text('label'),
      count('scripts'),
      ...JUDGED.map((as) => count(as)),
      count('right by text'),
      ...(isAsked ? [count('right by a model')] : []),
    ],
    rows: keys.map((key) => {
      const [family, label] = JSON.parse(key) as [string, Label];
      const own = scripts.filter((script) => script.family === family && script.label === label);
      const counts = JUDGED.map((as) => own.filter((script) => script.as === as).length);
      const byModel = isAsked ? [own.filter((script) => script.byModel === label).length] : [];
      return [family, label, own.length, ...counts, own.filter(({ byText }) => byText === label).length, ...byModel];
    }),
    notes: [],
  };
}

function missTable(misses: readonly Script[]): ReportTable {
  return {
    title: 'Misses',
    columns: ['task', 'family', 'label', 'judged', 'reason'].map(text),
    rows: misses.map(({ task, family, label, as, reason }) => [task, family, label, as, reason ?? '']),
    notes: [],
  };
}
