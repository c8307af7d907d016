import { authorOf, designedBy } from './author.js';
import { createCoder, type Coder, type Craft } from './coder.js';
import { createDesigner, type Designer } from './designer.js';
import { judged } from './judge.js';
import { createPlanner, type Planner } from './planner.js';
import { readPythonLibrary } from './python-library.js';
import { readQuestion, type Question } from './question.js';
import { createTester, type Tester } from './tester.js';
import { writtenDown } from './written-down.js';
import { UserError } from '../../../../../src/domain/failure/user-error.js';
import type { Play, ScriptedPlayer } from '../../../../../src/ports/scripted-player.js';

/** How a rule has the player answer. */
const PLAYS = [
  'competent',
  'author',
  'malformed-json',
  'missing-fields',
  'cyclic-data-flow',
  'invented-files',
  'wrong-code',
  'endless-code',
  'tagged-dictionaries',
  'vacuous-tests',
  'weak-tests',
  'endless-tests',
  'same-answer',
  'refusal',
  'huge-answer',
] as const;

interface Cast {
  planner: Planner;
  designer: Designer;
  tester: Tester;
  coder: Coder;
}

/** Plays planner, designer, tester, coder and judge for the library in `folder` (`src/<package>/…`). */
export async function createPlayer(folder: string | undefined): Promise<ScriptedPlayer> {
  if (folder === undefined)
    throw new UserError('usage', {
      message: 'The rules name no library to play with.',
      expected: '`library:`, the folder of a small Python library',
      fix: 'Add `library:` at the top, the path of its folder.',
    });
  const library = await readPythonLibrary(folder);
  const cast: Cast = {
    planner: createPlanner(library),
    designer: createDesigner(library),
    tester: createTester(),
    coder: createCoder(library),
  };
  return {
    plays: PLAYS,
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
  if (play.as === 'same-answer') return planner.propose({ features: [], scale: 'Round 1: about 1 leaves.' });
  const author = authorOf(play);
  const craft = (name: string): Craft => {
    if (!isMeant(play, name)) return 'right';
    return author?.craft(name, prompt === 'repair') ?? CRAFTS[play.as] ?? 'right';
  };
  const roles: Record<string, () => object> = {
    propose: () => planner.propose(input, (name) => author?.errorOf(name) === 'missing'),
    check: () => planner.check(input),
    refactor: () => planner.refactor(input),
    layout: () => planner.layout(input),
    'review-layout': () => ACCEPTED,
    'review-interfaces': () => ACCEPTED,
    'data-flow': () => planner.dataFlow(input),
    'base-classes': () => designer.baseClasses(input),
    interfaces: () => designedBy(author, designer.interfaces(input)),
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

/** A reviewer who has nothing to say against it. */
const ACCEPTED = { accept: true, reason: 'Nothing would have to be undone.' };

/** True where the manner is about this symbol. */
const isMeant = ({ units }: Play, name: string): boolean => units === undefined || units.includes(name);

const CRAFTS: Partial<Record<string, Craft>> = {
  'wrong-code': 'wrong',
  'endless-code': 'endless',
  'tagged-dictionaries': 'tagged',
};

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
function spoilt(right: object, question: Question | null, play: Play): string {
  const { as } = play;
  const text = writtenDown(question?.prompt, right);
  if (as === 'refusal') return 'I am sorry, but I cannot help with that.';
  if (as === 'huge-answer') return 'There is so much to say. '.repeat(40_000);
  if (as === 'malformed-json') return cutOff(text);
  if (as === 'missing-fields') return JSON.stringify(withoutField(right), null, 1);
  if (as === 'cyclic-data-flow') return JSON.stringify(withCycle(right), null, 1);
  if (as === 'invented-files' && question?.prompt === 'layout')
    return JSON.stringify(withInventedFiles(right), null, 1);
  const retell = TESTS[as];
  if (retell !== undefined && question?.prompt === 'tests')
    return writtenDown('tests', retold(right as Tests, play, retell));
  return text;
}

/** Begins as it should and ends in the middle of a block. */
function cutOff(text: string): string {
  const begun = text.slice(0, Math.ceil(text.length * 0.6));
  return text.startsWith('{') ? `Here you are:\n\`\`\`json\n${begun}` : begun.replace(/\n`{3,}[^`]*$/, '');
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

/** Files where nobody asked for any: outside the tree, in Git's own folder. */
function withInventedFiles(answer: object): object {
  const { files = [], ...rest } = answer as { files?: { path: string }[] };
  const invented = ['../outside.py', '.git/hooks/post_checkout.py'];
  return { ...rest, files: files.map((file, index) => ({ ...file, path: invented[index] ?? file.path })) };
}

interface Tests {
  tests: { unit: string; source: string }[];
}

/** How a test file of a symbol is spoilt. */
const TESTS: Partial<Record<Play['as'], (source: string, name: string) => string>> = {
  // They call nothing but the name: any code passes them.
  'vacuous-tests': (source, name) =>
    `${importLine(source)}\n\n\ndef test_it_is_there():\n    assert callable(${name})\n`,
  // They call the code, and any result passes.
  'weak-tests': (source) => source.replaceAll(/assert repr\((.*)\) == .*$/gm, '($1)'),
  'endless-tests': (source) => `${importLine(source)}\n\n\ndef test_in_vain():\n    while True:\n        pass\n`,
};

const importLine = (source: string): string => source.split('\n', 1)[0] ?? '';

function retold({ tests }: Tests, play: Play, retell: (source: string, name: string) => string): Tests {
  return {
    tests: tests.map(({ unit, source }) => {
      const name = unit.split('::').at(-1) ?? '';
      return { unit, source: isMeant(play, name) ? retell(source, name) : source };
    }),
  };
}
