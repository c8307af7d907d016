import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileBlobs } from '../../../src/adapters/blobs/file-blobs.js';
import type { FullReport } from '../../../src/report/full-report.js';
import { readTarEntries } from '../../../src/suite-kit/tar-entries.js';
import { PACKAGE_ROOT } from '../../fixtures/package-root.js';
import {
  figuresOf,
  openTextkitProject,
  tasksOf,
  zerorepoSystem,
  type Manners,
  type TextkitCampaign,
  type TextkitProject,
} from '../../fixtures/zerorepo/textkit-project.js';
import { scaled } from '../../vitest/yardstick.js';

/** ZeroRepo as a user runs it: harvest, generation, localize, vote, execute, score on a real stack, with the scripted player. */
const EXAMPLES = join(PACKAGE_ROOT, 'examples');
const NEVER_RIGHT = ['longest_common_subsequence', 'shannon_entropy', 'stem_word', 'summarize_text', 'title_case'];

/** What a model may do wrong, by its name. The first three features: normalize_whitespace, strip_accents, split_words. */
const FAULTS: Manners = {
  refusing: [{ plays: 'refusal' }],
  huge: [{ plays: 'huge-answer' }],
  repeating: [{ plays: 'same-answer' }],
  stubborn: [{ match: { regex: '# Task: (Write|Repair) code' }, plays: 'wrong-code' }],
  // Again when it is told what is wrong.
  inventing: [{ name: 'invents', match: { regex: 'Lay out a module in files' }, plays: 'invented-files' }],
  erring: [
    { match: { contains: '# Task: Write code' }, plays: { as: 'endless-code', units: ['strip_accents'] } },
    {
      match: { contains: ['# Task: Write tests', 'normalize_whitespace'] },
      plays: { as: 'vacuous-tests', units: ['normalize_whitespace'] },
    },
    { match: { contains: '# Task: Write tests' }, plays: { as: 'endless-tests', units: ['split_words'] } },
  ],
  pretending: [
    { match: { contains: '# Task: Write tests' }, plays: 'weak-tests' },
    { match: { contains: '# Task: Write code' }, plays: 'tagged-dictionaries' },
  ],
};

const OPTIONS: Record<string, object> = { stubborn: { features: 1, repairs: 8 }, pretending: { features: 1 } };

let textkit: TextkitProject;
let whole: FullReport;
let faults: FullReport;

beforeAll(async () => {
  const fiveFail = parse(await readFile(join(EXAMPLES, 'zerorepo-textkit', 'five-fail.rules.yaml'), 'utf8')) as {
    rules: Manners[string];
  };
  textkit = await openTextkitProject({ ...FAULTS, 'five-fail': fiveFail.rules });
  const example = parse(await readFile(join(EXAMPLES, 'zerorepo-textkit.yaml'), 'utf8')) as TextkitCampaign;
  // The example's reference, empty package and competent model take minutes more: docs/results/zerorepo.md.
  const failing = { id: 'five-fail', generator: 'zerorepo', model: 'five-fail', options: { repairs: 1, mutants: 5 } };
  const faulty = Object.keys(FAULTS).map((id) => zerorepoSystem(id, { features: 3, ...OPTIONS[id] }));
  [whole, faults] = await Promise.all([
    textkit.run({ ...example, systems: [failing] }),
    textkit.run({ name: 'faults', systems: faulty, concurrency: { batches: faulty.length } }),
  ]);
}, scaled(1_200_000));

afterAll(async () => textkit?.close());

const requests = (model: string, purpose?: string): number =>
  textkit.model.requests.filter((seen) => seen.model === model && (purpose ?? seen.purpose) === seen.purpose).length;

const blobs = () => createFileBlobs({ folder: join(textkit.project.stateDir, 'blobs') });

async function candidateOf({ campaign }: FullReport, system: string): Promise<Buffer> {
  const found = (await textkit.record.candidates(campaign.id)).find((candidate) => candidate.system === system);
  return blobs().get(found?.sha256 ?? '');
}

async function filesOf(tar: Buffer): Promise<Record<string, string>> {
  const entries = await readTarEntries(tar);
  return Object.fromEntries(entries.map(({ name, content }) => [name, Buffer.from(content).toString('utf8')]));
}

describe('the example, a whole campaign on a library of 40 functions', () => {
  test('passes exactly 35 of 40 tasks where the model is never right on five', () => {
    const outcomes = whole.systems.map(({ passed, failed, errored, not_run }) => [passed, failed, errored, not_run]);
    expect(outcomes).toEqual([[35, 5, 0, 0]]);
    expect(tasksOf(whole, 'five-fail', 'failed')).toEqual(NEVER_RIGHT);
  });

  test('has marked the five, found them by verify, and made everything else', () => {
    expect(figuresOf(whole, 'five-fail')).toMatchObject({
      ...{ features: 40, modules: 4, units: 41, units_done: 36, units_failed: 5, units_blocked: 0, repair_rounds: 5 },
      ...{ stubs: 5, unresolved_imports: 0, reference_imports: 0, mutants: 5 },
      ...{ whole_tests: 5, whole_tests_passed: 5, regressions: 0, cut_by_limit: 0 },
    });
  });

  test('hands over a git history, one commit a unit, that ends with the candidate', async () => {
    const generation = `${whole.campaign.id}/five-fail/textkit/1`;
    const [history = ''] = await textkit.record.evidence(generation, 'history.fast-import');
    const git = join(textkit.project.folder, 'history.git');
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', git]);
    execFileSync('git', ['-C', git, 'fast-import', '--quiet', '--done'], { input: await blobs().get(history) });
    const log = execFileSync('git', ['-C', git, 'log', '--format=%an %s', 'main'], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(log).toHaveLength(1 + 36 + 1);
    expect(log.at(-1)).toBe('ZeroRepo Skeleton of ProseMeter');
    const archive = execFileSync('git', ['-C', git, 'archive', '--format=tar', 'main']);
    expect(await filesOf(archive)).toEqual(await filesOf(await candidateOf(whole, 'five-fail')));
  });

  test('says in its report what became of the plan', async () => {
    const markdown = await textkit.markdown(whole.campaign.id);
    expect(markdown).toMatch(/^\| five-fail \| textkit +\| +1 \| +40 \| +41 \| +36 \| +5 \| +0 \| +5 \| +5 \|/m);
  });
});

describe('a model that does wrong', () => {
  const figures = (system: string): Record<string, number | null> => figuresOf(faults, system);

  test('ends no campaign: every candidate is graded', () => {
    expect(faults.trials).toMatchObject({ planned: 7, done: 7, errored: 0, not_run: 0 });
  });

  test.each(['refusing', 'huge'])('%s: nothing is planned after three tries, and nothing is there', (system) => {
    expect(figures(system)).toMatchObject({ features: 0, units: 0, cut_by_limit: 0 });
    expect(requests(system)).toBe(3);
  });

  test('always the same answer: the plan is repaired by rule, its unit fails and is marked', () => {
    expect(figures('repeating')).toMatchObject({ features: 1, units: 1, units_done: 0, units_failed: 1, stubs: 1 });
    expect(requests('repeating')).toBeLessThan(60);
  });

  test('code that is never right: repaired eight times, each after three voters of one mind and two looks around', () => {
    expect(figures('stubborn')).toMatchObject({ units: 1, units_failed: 1, repair_rounds: 8, stubs: 1 });
    // Two reviewers of one mind look at the layout, two at the interfaces of its only file.
    expect([requests('stubborn', 'vote'), requests('stubborn', 'repair')]).toEqual([8 * 3 + 2 * 2, 8 * (2 + 1)]);
  });

  test('files outside the tree and in .git: refused three times, then laid out by rule', async () => {
    expect(textkit.model.requests.filter(({ rule }) => rule === 'invents')).toHaveLength(3);
    expect(figures('inventing')).toMatchObject({ features: 3, units_done: 3 });
    const names = Object.keys(await filesOf(await candidateOf(faults, 'inventing')));
    expect(names).toContain('README.md');
    expect(
      names.filter((name) => !/^(README\.md|pyproject\.toml|(prosemeter|tests)\/[a-z_/]+\.py)$/.test(name)),
    ).toEqual([]);
  });

  test('code and tests that never end, tests that say nothing: who is at fault is voted on, then repaired', () => {
    expect(figures('erring')).toMatchObject({ units: 3, units_done: 3, repair_rounds: 3, mutants: 3 });
    // Endless code, endless tests: three voters each. Tests that pass without code need no vote.
    // Two reviewers look at the layout and at each of two files.
    expect(requests('erring', 'vote')).toBe(6 + 3 * 2);
  });

  test('dictionaries that name the operation instead of doing it pass weak tests: verify finds both', async () => {
    expect(figures('pretending')).toMatchObject({ units: 1, units_done: 1, functions: 1, stubs: 1 });
    expect(figures('pretending')).toMatchObject({ mutants: 1, mutants_survived: 1 });
    expect(figures('erring')).toMatchObject({ mutants: 3, mutants_survived: 0 });
    const markdown = await textkit.markdown(faults.campaign.id);
    expect(markdown).toMatch(/^\| pretending \| textkit +\| +1 \| +1 \| +1 \| +1 \| +0 \| +0 \| +0 \| +1 \|/m);
  });
});
