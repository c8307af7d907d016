import { createCoder, type Coder, type Craft } from './coder.js';
import { createDesigner, type Designer } from './designer.js';
import { judged } from './judge.js';
import { createPlanner, type Planner } from './planner.js';
import { readPythonLibrary } from './python-library.js';
import { readQuestion, type Question } from './question.js';
import { createTester, type Tester } from './tester.js';

/** How a rule has the player answer. */
export const PLAYS = [
  'competent',
  'malformed-json',
  'missing-fields',
  'cyclic-data-flow',
  'wrong-code',
  'tagged-dictionaries',
  'vacuous-tests',
] as const;

/** What a rule asks of the player: its manner, and the symbols it is about (all where none is named). */
export interface Play {
  as: (typeof PLAYS)[number];
  units?: string[] | undefined;
}

type Messages = readonly { role: string; content: string }[];

/** Plays planner, designer, tester, coder and judge for one library it knows, answering what the conversation asks. */
export interface Player {
  answer(messages: Messages, play: Play): string;
}

interface Cast {
  planner: Planner;
  designer: Designer;
  tester: Tester;
  coder: Coder;
}

/** A player for the library in `folder` (`src/<package>/…`). */
export async function createPlayer(folder: string): Promise<Player> {
  const library = await readPythonLibrary(folder);
  const cast: Cast = {
    planner: createPlanner(library),
    designer: createDesigner(library),
    tester: createTester(),
    coder: createCoder(library),
  };
  return {
    answer(messages, play) {
      const question = readQuestion(messages);
      const vote = question === null ? judged(messages.at(-1)?.content ?? '') : null;
      const right = question === null ? vote : answered(cast, question, play);
      if (right === null) return 'I know nothing about this.';
      return spoilt(right, question, play);
    },
  };
}

function answered({ planner, designer, tester, coder }: Cast, { prompt, input }: Question, play: Play): object | null {
  const craft = (name: string): Craft => {
    if (play.units !== undefined && !play.units.includes(name)) return 'right';
    return play.as === 'wrong-code' ? 'wrong' : play.as === 'tagged-dictionaries' ? 'tagged' : 'right';
  };
  const roles: Record<string, () => object> = {
    propose: () => planner.propose(input),
    check: () => planner.check(input),
    refactor: () => planner.refactor(input),
    layout: () => planner.layout(input),
    'data-flow': () => planner.dataFlow(input),
    'base-classes': () => designer.baseClasses(input),
    interfaces: () => designer.interfaces(input),
    tests: () => tester.tests(input),
    code: () => coder.code(input, craft),
    'failure-vote': () => coder.failureVote(input),
    localize: () => coder.localize(input),
    repair: () => coder.repair(input, craft),
    'repair-tests': () => tester.repairTests(input),
    'integration-tests': () => tester.integrationTests(input),
    'end-to-end-test': () => tester.endToEndTest(input),
    readme: () => readme(input as ReadmeInput),
  };
  return roles[prompt]?.() ?? null;
}

interface ReadmeInput {
  title: string;
  purpose: string;
  modules: { name: string; description: string }[];
  missing: string[];
}

function readme({ title, purpose, modules, missing }: ReadmeInput): object {
  const lines = modules.map(({ name, description }) => `- **${name}**: ${description}`);
  const gaps = missing.length === 0 ? [] : ['', `Not there: ${missing.join(', ')}.`];
  return { markdown: [`# ${title}`, '', purpose, '', ...lines, ...gaps, ''].join('\n') };
}

/** The answer as a model in that manner would give it. */
function spoilt(right: object, question: Question | null, { as, units }: Play): string {
  const text = JSON.stringify(right, null, 1);
  if (as === 'malformed-json') return `Here you are:\n\`\`\`json\n${text.slice(0, Math.ceil(text.length * 0.6))}`;
  if (as === 'missing-fields') return JSON.stringify(withoutField(right), null, 1);
  if (as === 'cyclic-data-flow') return JSON.stringify(withCycle(right), null, 1);
  if (as === 'vacuous-tests' && question?.prompt === 'tests')
    return JSON.stringify(vacuous(right as Tests, units), null, 1);
  return text;
}

/** The first entry of the first list loses its first field; an answer without lists loses its own first field. */
function withoutField(answer: object): object {
  const entries = Object.entries(answer) as [string, unknown][];
  const list = entries.find(([, value]) => Array.isArray(value) && typeof value[0] === 'object');
  if (list === undefined) return Object.fromEntries(entries.slice(1));
  const [first, ...rest] = list[1] as object[];
  return { ...answer, [list[0]]: [Object.fromEntries(Object.entries(first ?? {}).slice(1)), ...rest] };
}

/** The first edge flows back as well. */
function withCycle(answer: object): object {
  const { edges } = answer as { edges?: { source: string; target: string; id: string; type: string }[] };
  const [first] = edges ?? [];
  if (first === undefined || edges === undefined) return answer;
  return { edges: [...edges, { ...first, source: first.target, target: first.source, id: `${first.id}-back` }] };
}

interface Tests {
  tests: { unit: string; source: string }[];
}

/** Tests that call nothing but the name: any code passes them. */
function vacuous({ tests }: Tests, units: string[] | undefined): Tests {
  return {
    tests: tests.map(({ unit, source }) => {
      const name = unit.split('::').at(-1) ?? '';
      if (units !== undefined && !units.includes(name)) return { unit, source };
      return {
        unit,
        source: `${source.split('\n', 1)[0] ?? ''}\n\n\ndef test_it_is_there():\n    assert callable(${name})\n`,
      };
    }),
  };
}
