import { beforeAll, describe, expect, it } from 'vitest';
import { planTextkit } from '../../../../../tests/fixtures/zerorepo/planned-textkit.js';
import type { StageContext } from '../../../../../src/suite/stage.js';
import { fingerprints } from '../graph/fingerprints.js';
import { graphText } from '../graph/graph-format.js';
import type { InterfaceDesign, PlanningGraph } from '../graph/planning-graph.js';
import type { Repaired } from '../graph/steps.js';
import { readQuestion } from '../scripted/question.js';
import { repairUnit } from './repair.js';
import { readJsonBlob } from '../../../../../src/suite-kit/json-blobs.js';
import { keepBlob } from './products.js';
import type { Outcome } from './trying.js';

let graph: PlanningGraph;
let context: StageContext;
/** A unit that needs others, and what it needs first. */
let unit: InterfaceDesign;
let need: string;

beforeAll(async () => {
  ({ graph, context } = await planTextkit());
  const using = graph.interfaces.find(({ kind, invokes }) => kind === 'function' && invokes.length > 0);
  if (using === undefined) expect.unreachable('no unit needs another');
  unit = using;
  need = using.invokes[0] ?? '';
});

/** A question as the model sees it. */
interface Seen {
  prompt: string;
  input: {
    start?: string;
    task?: string;
    seen?: { heading: string; text: string }[];
    targets?: string[];
    reasons?: string[];
  };
}

/** Answers to one prompt, in turn; the last one for ever. */
type Script = Record<string, readonly (object | string)[]>;

/** Mends a unit that failed. @returns what came of it, and what was asked on the way */
async function repaired(script: Script, end: Partial<Outcome> = {}): Promise<{ end: Repaired; asked: Seen[] }> {
  const asked: Seen[] = [];
  const answers: Script = { repair: [EDIT], 'repair-tests': [{ source: 'def test_it(): assert True' }], ...script };
  const own: StageContext = {
    ...context,
    earlier: (names) => Promise.resolve(Object.fromEntries(names.map((name) => [name, ends.get(name) ?? null]))),
    ask: ({ messages }) => {
      const { prompt, input } = readQuestion(messages) as Seen;
      const all = answers[prompt] ?? [];
      const nth = asked.filter((one) => one.prompt === prompt).length;
      asked.push({ prompt, input });
      const answer = all[Math.min(nth, all.length - 1)] ?? 'nothing';
      const said = typeof answer === 'string' ? answer : JSON.stringify(answer);
      return Promise.resolve({ text: said, finishReason: 'stop', usage: null, providerRequestId: null });
    },
  };
  const done = { id: need, status: 'done', tests: null, rounds: 0, message: null };
  const product = { imports: [], helpers: '', source: 'def needed(): ...' };
  const print = fingerprints(graph).get(need) ?? '';
  const ends = new Map([[`unit/${need}@${print}`, { product: await keepBlob(own, 'unit', { ...done, product }) }]]);
  const code = { imports: [], helpers: '', source: `def ${unit.name}(): ...` };
  const outcome: Outcome = {
    ...{ id: unit.id, product: code, passed: false, kind: 'assertion', message: 'no', output: '', tests: 1, files: {} },
    ...end,
  };
  const report = {
    outcomes: [outcome],
    tests: { [unit.id]: 'def test_it(): assert False' },
    code: { [unit.id]: code },
  };
  const tried = await keepBlob(own, 'tried', report);
  const label = { name: 'graph.json', mediaType: 'application/json' };
  const { sha256 } = await own.blobs.put(graphText(graph), label);
  return { end: await repairUnit(own, { graph: sha256, unit: [unit.id, 'x'], tried, round: 1 }), asked };
}

const EDIT = { edits: [{ kind: 'function', name: 'f', source: 'def f(): ...' }] };
const STOP = { tool: 'stop', argument: '' };
const votes = (...causes: string[]): Script => ({
  'failure-vote': causes.map((cause) => ({ cause })),
  localize: [STOP],
});
const count = (asked: readonly Seen[], prompt: string): number => asked.filter((one) => one.prompt === prompt).length;

describe('whose fault a failure is', () => {
  it.each([
    ['three of one mind are enough', ['code', 'code', 'code'], 'code', 3],
    ['most of five decide', ['test', 'code', 'environment', 'test', 'test'], 'test', 5],
    ['a tie is the code’s', ['test', 'environment', 'code', 'test', 'code'], 'code', 5],
    ['a tie of others is the test’s', ['environment', 'test', 'environment', 'code', 'test'], 'test', 5],
    ['the environment is repaired in the tests', ['environment'], 'environment', 3],
  ])('%s', async (_, causes, cause, ballots) => {
    const { end, asked } = await repaired(votes(...causes));
    expect(end.cause).toBe(cause);
    expect(count(asked, 'failure-vote')).toBe(ballots);
    expect(count(asked, cause === 'code' ? 'repair' : 'repair-tests')).toBe(1);
    // Each voter is told to begin elsewhere, and nobody that he is the second.
    const starts = asked.filter(({ prompt }) => prompt === 'failure-vote').map(({ input }) => input.start);
    expect(new Set(starts).size).toBe(ballots);
  });

  it('is the code’s where no voter can be understood, each of whom is asked three times', async () => {
    const { end, asked } = await repaired({ 'failure-vote': ['Hm.'], localize: [STOP] });
    expect(end.cause).toBe('code');
    expect(count(asked, 'failure-vote')).toBe(5 * 3);
  });

  it.each([
    ['code', 'code'],
    ['vacuous', 'test'],
    ['no-tests', 'test'],
  ])('is no question where the run says it: %s', async (kind, cause) => {
    const { end, asked } = await repaired({ localize: [STOP] }, { kind, message: 'why' });
    expect(end.cause).toBe(cause);
    expect(count(asked, 'failure-vote')).toBe(0);
    if (cause === 'test') expect(asked.at(-1)?.input.reasons).toEqual(['why']);
    // Whoever edits has looked around before, whatever is edited.
    expect(asked.map(({ prompt }) => prompt)).toEqual(['localize', cause === 'test' ? 'repair-tests' : 'repair']);
  });

  it('leads nowhere where the repairing model says nothing that can be used', async () => {
    expect((await repaired({ ...votes('code'), repair: ['No.'] })).end).toEqual({ cause: null });
    expect((await repaired({ ...votes('test'), 'repair-tests': ['No.'] })).end).toEqual({ cause: null });
  });
});

describe('looking around in the graph before a repair', () => {
  const looking = async (...answers: (object | string)[]) => {
    const { end, asked } = await repaired({ 'failure-vote': [{ cause: 'code' }], localize: answers });
    const { seen = [], targets = [] } = asked.find(({ prompt }) => prompt === 'repair')?.input ?? {};
    return { end, seen, targets, looks: count(asked, 'localize') };
  };

  it('has tools for the interfaces of a file, the code of one, a feature, and a search; then says what to edit', async () => {
    const { end, seen, targets } = await looking(
      { tool: 'interfaces', argument: unit.file },
      { tool: 'code', argument: need },
      { tool: 'feature', argument: 'f1' },
      { tool: 'search', argument: unit.name.replaceAll('_', ' ') },
      { tool: 'stop', argument: `${unit.name}, _helper` },
    );
    const [interfaces, code, feature, search] = seen.map(({ text }) => text);
    const ids = (text = '[]'): string[] => (JSON.parse(text) as { id: string }[]).map(({ id }) => id);
    expect(ids(interfaces)).toEqual(graph.interfaces.filter(({ file }) => file === unit.file).map(({ id }) => id));
    expect(code).toBe('def needed(): ...');
    expect(JSON.parse(feature ?? '')).toEqual(graph.features[0]);
    expect(ids(search)).toHaveLength(5);
    expect(ids(search)[0]).toBe(unit.id);
    expect(targets).toEqual([unit.name, '_helper']);
    const left = await readJsonBlob<object>(context.blobs, end.cause === null ? '' : end.code);
    expect(left).toEqual({ [unit.id]: expect.objectContaining(EDIT) as object });
  });

  it('shows the code of what the unit needs and of nothing else; what is not there is said', async () => {
    const later = graph.interfaces.find(({ invokes }) => invokes.includes(unit.id)) ?? graph.interfaces.at(-1);
    const { seen } = await looking(
      { tool: 'code', argument: later?.id },
      { tool: 'code', argument: '../../etc/passwd' },
      { tool: 'interfaces', argument: 'nowhere.py' },
      { tool: 'feature', argument: 'f0' },
      STOP,
    );
    expect(seen.map(({ text }) => text)).toEqual([
      `${later?.id ?? ''} is nothing that ${unit.id} needs`,
      `../../etc/passwd is nothing that ${unit.id} needs`,
      'there is no file nowhere.py',
      'there is no feature f0',
    ]);
  });

  it('ends after twenty looks, at a look that comes again, and where the model says nothing', async () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ tool: 'search', argument: `words ${index}` }));
    expect(await looking(...many)).toMatchObject({ looks: 20, targets: [], end: { cause: 'code' } });
    const same = { tool: 'feature', argument: 'f2' };
    expect((await looking(same, same)).looks).toBe(2);
    expect(await looking('Hm.')).toMatchObject({ looks: 3, seen: [], end: { cause: 'code' } });
  });
});
