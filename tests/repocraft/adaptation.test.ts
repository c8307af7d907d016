import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { EXIT } from '../../src/cli/exit-code.js';
import type { ModelRulesInput } from '../../src/fakes/model-rules.js';
import { startScriptedModelServer, type ScriptedModelServer } from '../../src/fakes/scripted-model-server.js';
import type { DocumentBody } from '../../src/report/documents/documents.js';
import type { FullReport, TrialReport } from '../../src/report/full-report.js';
import type { SystemMetrics } from '../../tasks/repocraft/metrics.js';
import type { RepocraftTask } from '../../tasks/repocraft/dataset/repocraft-task.js';
import { createCliProject, type CliProject } from '../fixtures/cli/cli-project.js';
import { PACKAGE_ROOT } from '../fixtures/package-root.js';
import { WORDLAB } from '../fixtures/repocraft/wordlab.js';
import { scaled } from '../vitest/yardstick.js';

// A model votes and rewrites tests, over HTTP, with everything a model and its endpoint may get wrong. The candidate has
// the capabilities in another shape; the command line, the stack, Docker and the search are real.

type Rule = NonNullable<ModelRulesInput['rules']>[number];

/** One call runs into it; the others have to be answered within, also where the machine has become busy since this was read. */
const TIMEOUT_SECONDS = scaled(10);

/** Capability → the candidate's symbol that offers it. */
const OFFERED: Record<string, string> = {
  word_frequencies: 'wordlab.passage.Passage.word_counts',
  most_common_words: 'wordlab.ranking.most_common_words',
  lexical_diversity: 'wordlab.ranking.lexical_diversity',
  shannon_entropy: 'wordlab.passage.Passage.shannon_bits',
  count_syllables: 'wordlab.ranking.word_syllables',
  average_word_length: 'wordlab.ranking.average_length_of_words',
  average_sentence_length: 'wordlab.ranking.average_length_of_sentences',
};

let project: CliProject;
let model: ScriptedModelServer;
let tasks: Record<string, RepocraftTask>;
let report: FullReport;

beforeAll(async () => {
  project = await createCliProject();
  await Promise.all([project.json(['up']), project.json(['images', 'build', 'repocraft-requests'])]);
  await project.json(['dataset', 'fetch', 'repocraft', '--project', 'textkit']);
  tasks = await textkitTasks();
  model = await startScriptedModelServer({ rules: { rules: [await copying(), ...votes(), ...rewrites()] } });
  for (const [path, text] of Object.entries(WORDLAB)) {
    await mkdir(dirname(join(project.folder, 'candidate', path)), { recursive: true });
    await writeFile(join(project.folder, 'candidate', path), text);
  }
  await writeFile(join(project.folder, 'campaign.yaml'), campaignFile());
  const end = await project.durabench('run', 'campaign.yaml', '--yes', '--json');
  // The adapter of one trial is never understood: that trial is errored.
  if (end.code !== EXIT.errored) throw new Error(`run ended with ${end.code}:\n${end.stdout}\n${end.stderr}`);
  const { campaign_id: id } = JSON.parse(end.stdout.split('\n')[0] ?? '') as { campaign_id: string };
  report = JSON.parse(await readFile(join(project.stateDir, 'reports', id, 'report.json'), 'utf8')) as FullReport;
});

afterAll(async () => {
  await project?.close();
  await model?.close();
});

/** The tasks as fetched, by the name of their main symbol. */
async function textkitTasks(): Promise<typeof tasks> {
  const lock = join(PACKAGE_ROOT, 'tasks', 'repocraft', 'dataset', 'textkit.lock.json');
  const { tasks: locked } = JSON.parse(await readFile(lock, 'utf8')) as { tasks: { id: string; sha256: string }[] };
  const read = Object.keys(OFFERED).map(async (name): Promise<[string, RepocraftTask]> => {
    const sha256 = locked.find(({ id }) => id === `textkit-measures-${name}-001`)?.sha256 ?? '';
    const text = await readFile(join(project.stateDir, 'blobs', 'sha256', sha256.slice(0, 2), sha256), 'utf8');
    return [name, JSON.parse(text) as RepocraftTask];
  });
  return Object.fromEntries(await Promise.all(read));
}

const taskOf = (name: string): RepocraftTask => {
  const task = tasks[name];
  if (task === undefined) throw new Error(`no task ${name}`);
  return task;
};

const campaignFile = (): string =>
  stringify({
    name: 'adaptation',
    suite: 'repocraft',
    dataset: { projects: ['textkit'], tasks: Object.values(tasks).map(({ id }) => id) },
    models: {
      judge: { name: 'judge', base_url: model.url, price: { input: 1, output: 2 }, timeout_seconds: TIMEOUT_SECONDS },
    },
    systems: [
      { id: 'wordlab', generator: 'snapshot', path: 'candidate' },
      { id: 'copyist', generator: 'single-prompt', model: 'judge', vote: { voter: 'heuristic' } },
    ],
    judge: { vote: { voter: 'model', model: 'judge', top: 5 }, adapt: { model: 'judge' } },
    concurrency: { batches: 1, trials: 8, model: 8, sandbox: 2 },
  });

/** YES for the right symbol; one voter contradicts itself, one answers in riddles, one is never understood. */
function votes(): Rule[] {
  const on = (name: string): Rule['match'] => ({
    purpose: 'vote',
    contains: [taskOf(name).description, `\`${OFFERED[name] ?? ''}\``],
  });
  const yes = '{"answer": "YES", "reason": "it does"}';
  const contradiction = '{"answer": "YES", "reason": "it does"}\n{"answer": "NO", "reason": "it does not"}';
  return [
    { match: { ...on('word_frequencies'), nth: 1 }, answer: contradiction },
    { match: { ...on('lexical_diversity'), nth: 1 }, answer: 'Who can say what a word is?' },
    { match: { purpose: 'vote', contains: 'That was not an answer', nth: 1 }, answer: yes },
    { match: { purpose: 'vote', contains: 'That was not an answer' }, answer: 'Well.' },
    ...Object.keys(OFFERED).map((name): Rule => ({ match: on(name), answer: yes })),
    // The reference, in the campaign of `grade`.
    { match: { purpose: 'vote', contains: '`textkit.' }, answer: yes },
    { match: { purpose: 'vote' }, answer: '{"answer": "NO", "reason": "something else"}' },
  ];
}

/** An endpoint that knows the reference by heart. */
async function copying(): Promise<Rule> {
  const folder = join(PACKAGE_ROOT, 'tasks', 'repocraft', 'projects', 'textkit', 'src', 'textkit');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.py'));
  const read = names.map(async (name) => [`textkit/${name}`, await readFile(join(folder, name), 'utf8')] as const);
  const files = Object.fromEntries(await Promise.all(read));
  return { match: { purpose: 'generate' }, answer: JSON.stringify({ files }) };
}

const block = (code: string): string => `\`\`\`python\n${code}\`\`\``;

/** The test with its import and every call of the function in the candidate's shape. */
function rewritten(name: string, imported: string, call: string): string {
  const code = taskOf(name).test_code.replace(/^from textkit[\s\S]*?(?:\)|import \w+)\n/m, `${imported}\n`);
  return code.replaceAll(new RegExp(`\\b${name}\\(((?:[^()]|\\([^()]*\\))*)\\)`, 'g'), call);
}

function rewrites(): Rule[] {
  const first = (name: string): Rule['match'] => ({
    purpose: 'adapt',
    contains: [taskOf(name).description, 'Rewrite the test for the other library.'],
  });
  const method = 'from wordlab import Passage';
  const ranking = 'from wordlab import ranking';
  const entropy = rewritten('shannon_entropy', method, 'Passage($1).shannon_bits()');
  const syllables = rewritten('count_syllables', ranking, 'ranking.word_syllables($1, language=None)');
  const body = /^( {4})(?=assert)/m;
  const again = (contains: string, rule: Partial<Rule>): Rule => ({ match: { purpose: 'adapt', contains }, ...rule });
  return [
    {
      match: first('word_frequencies'),
      answer: block(rewritten('word_frequencies', method, 'Passage($1).word_counts()')),
    },
    { match: first('most_common_words'), answer: 'Let me think about it.' },
    again('the answer holds no block of Python', {
      times: 1,
      match: { purpose: 'adapt', contains: 'the answer holds no block of Python', regex: '^' },
      answer: block(
        rewritten('most_common_words', ranking, 'ranking.most_common_words($1)').replaceAll(
          /, (-?\d)\)(?= ==)/g,
          ', limit=$1)',
        ),
      ),
    }),
    // Drops an assertion; then the endpoint is not itself for a while.
    { match: first('shannon_entropy'), answer: block(entropy.replace(/\n[^\n]*assert[^\n]*\n$/, '\n')) },
    ...[
      { status: 429, headers: { 'retry-after': 0 } },
      { status: 500 },
      { delayMs: (TIMEOUT_SECONDS + 1) * 1000, answer: 'too late' },
    ].map((fault, index): Rule => ({
      match: { purpose: 'adapt', contains: 'for 8', attempt: index + 1 },
      ...fault,
    })),
    again('for 8', { answer: block(entropy) }),
    // Cheats in three ways.
    { match: first('count_syllables'), answer: block(syllables.replace(body, '$1pytest.skip("hard")\n$1')) },
    again('statements that judge or decide for 2', {
      times: 1,
      answer: block(syllables.replace(ranking, `${ranking}\nfrom textkit.measures import count_syllables`)),
    }),
    again('textkit.measures.count_syllables is neither', {
      answer: block(syllables.replaceAll('== expected', '>= 0')),
    }),
    { match: first('average_word_length'), answer: 'CANNOT: there is no unit of length to choose' },
    { match: first('average_sentence_length'), answer: `${block('import wordlab\n')}\nor\n${block('import os\n')}` },
    again('several different blocks', { answer: 'CANNOT\n' + block('import wordlab\n') }),
  ];
}

const trialOf = (name: string): TrialReport => {
  const trial = report.trial_rows.find(
    ({ system, task }) => system === 'wordlab' && task === `textkit-measures-${name}-001`,
  );
  if (trial === undefined) throw new Error(`no trial of ${name}`);
  return trial;
};

const end = (name: string) => {
  const { outcome, reason, metrics } = trialOf(name);
  return [reason ?? outcome, metrics['rewrites'], metrics['rewritten']];
};

const show = async (name: string): Promise<string> => (await project.durabench('show', trialOf(name).id)).stdout;

describe('a model that rewrites tests', () => {
  test('is asked where names alone do not reach, and what it rewrote honestly is graded', () => {
    expect(end('lexical_diversity')).toEqual(['passed', 0, 0]);
    expect(end('word_frequencies')).toEqual(['passed', 1, 1]);
  });

  test('is asked once more where it cannot be read', () => {
    expect(end('most_common_words')).toEqual(['passed', 2, 1]);
  });

  test('is told what the guard refused, through 429, 500 and a timeout', async () => {
    expect(end('shannon_entropy')).toEqual(['passed', 2, 1]);
    const faults = model.requests.filter(({ purpose, status }) => purpose === 'adapt' && status !== 200);
    expect(faults.map(({ status }) => status)).toEqual(expect.arrayContaining([429, 500]));
    const shown = await show('shannon_entropy');
    expect(shown).toMatch(/execute rewrite-1: refused\.diff\n(.*\n)*? {2}-.*assert/);
    expect(shown).toMatch(/execute rewrite-2: adaptation\.diff\n(.*\n)*? {2}\+from wordlab import Passage/);
  });

  test('gets three calls: what the guard refuses is never run, and the verdict of the bound test stands', async () => {
    expect(end('count_syllables')).toEqual(['test.signature', 3, 0]);
    const { steps } = await project.json<{ steps: { step: string; result: { refused?: string } }[] }>([
      ...['show', trialOf('count_syllables').id],
    ]);
    const refused = steps.filter(({ step }) => step.startsWith('rewrite-')).map(({ result }) => result.refused);
    expect(refused).toEqual(['guard.structure', 'guard.import', 'guard.assertion']);
    expect(steps.filter(({ step }) => step === 'run')).toHaveLength(1);
  });

  test('may say that it cannot, and the verdict of the bound test stands', async () => {
    expect(end('average_word_length')).toEqual(['test.signature', 1, 0]);
    expect(await show('average_word_length')).toContain('there is no unit of length to choose');
  });

  test('that is not understood twice leaves a trial without a verdict, which the candidate does not pay for', async () => {
    expect(trialOf('average_sentence_length')).toMatchObject({ outcome: 'errored', reason: 'judge.no-answer' });
    expect(await show('average_sentence_length')).toContain('the adapter gave no answer in call 2');
  });

  test('is metered under its own purpose', () => {
    const adapt = report.usage.calls.filter(({ purpose }) => purpose === 'adapt');
    expect(adapt.map(({ system, calls }) => [system, calls])).toEqual([['wordlab', 11]]);
    expect(adapt[0]?.usd).toBeGreaterThan(0);
  });
});

describe('a model that votes', () => {
  test('is asked once more where it contradicts itself or says nothing, then abstains', async () => {
    const shown = [await show('word_frequencies'), await show('lexical_diversity')].join('\n');
    expect(shown.match(/ abstain +no answer: \S/g)).toHaveLength(1);
    expect(trialOf('word_frequencies').metrics['voted']).toBe(1);
    expect(trialOf('lexical_diversity').metrics['voted']).toBe(1);
  });
});

test('an endpoint that returns the reference’s own code: its candidate is graded, and flagged as a copy', () => {
  const marked = report.integrity.filter(({ flags }) => flags.some(({ flag }) => flag === 'vendored'));
  expect(marked.map(({ system }) => system)).toEqual(['copyist']);
  const graded = report.trial_rows.filter(({ system }) => system === 'copyist');
  expect(graded.map(({ outcome }) => outcome)).not.toContain(null);
});

test('an archive is graded in one command by a model that votes and rewrites, beside the reference', async () => {
  const archive = join(project.folder, 'wordlab-1.0.tar.gz');
  execFileSync('tar', ['-czf', archive, '-C', project.folder, 'candidate']);
  const judge = ['--model', 'judge', '--base-url', model.url, '--price', '1,2', '--adapt'];
  const card = await project.durabench('grade', archive, '--project', 'textkit', '--limit', '2', '--gold', ...judge);
  expect(card.code, card.stderr).toBe(0);
  for (const system of ['wordlab-1.0', 'gold'])
    expect(card.stdout).toMatch(new RegExp(`^${system} +textkit +2 +2 `, 'm'));
  const { suite_metrics: metrics, usage } = JSON.parse(
    (await project.durabench('report', 'latest', '--format', 'json')).stdout,
  ) as FullReport & { suite_metrics: Record<string, SystemMetrics> };
  const [own, gold] = [metrics['wordlab-1.0']?.overall, metrics.gold?.overall];
  expect(gold).toMatchObject({ voting: { value: 1 }, shareOfGold: { vote: 1 } });
  expect(own?.shareOfGold?.vote).toBe(own?.voting?.value);
  expect(new Set(usage.calls.map(({ purpose }) => purpose))).toContain('vote');
});

describe.each([
  ['grade', () => [join(project.folder, 'candidate'), '--limit', '1']],
  ['calibrate', () => ['repocraft', '--kind', 'stubbed', '--voter', 'heuristic', '--tasks', '1']],
])('%s by a model that costs money, on a terminal', (command, options) => {
  const asked = (): string[] => [
    ...[command, ...options(), '--project', 'textkit'],
    ...['--model', 'judge', '--base-url', model.url, '--price', '1,2'],
  ];
  const campaigns = async (): Promise<number> => (await project.json<DocumentBody<'list'>>(['list'])).campaigns.length;

  test('asks after the plan, and starts nothing where the answer is no', async () => {
    const [before, calls] = [await campaigns(), model.requests.length];
    const { code, stdout } = await project.onTerminal('n', ...asked());
    expect(stdout).toMatch(/campaign (?:grade|calibrate)-[^]*forecast[^]*start\? \[y\/N\]/);
    expect(code, stdout).toBe(EXIT.usage);
    expect([await campaigns(), model.requests.length]).toEqual([before, calls]);
  });

  test('--yes starts it without a question', async () => {
    const [before, calls] = [await campaigns(), model.requests.length];
    // The line is typed at no question: nothing reads it.
    const { code, stdout } = await project.onTerminal('n', ...asked(), '--yes');
    expect(stdout).not.toContain('[y/N]');
    expect(code, stdout).toBe(EXIT.ok);
    expect(await campaigns()).toBe(before + 1);
    expect(model.requests.length).toBeGreaterThan(calls);
  });
});
