import { expect, it } from 'vitest';
import type { CampaignSpec, ModelSpec, SystemSpec } from '../../src/contract/campaign.js';
import type { Problem } from '../../src/contract/problem.js';
import { problemMessage } from '../../src/domain/failure/problem-text.js';
import { campaignProblems } from './campaign-problems.js';
import { ownVotes } from './own-votes.js';
import { DEFAULT_VOTE, optionsSchema, voteSettings, votingModels } from './settings.js';

const system = (parts: Partial<SystemSpec>): SystemSpec => ({
  ...{ id: 's', generator: 'gold', model: null, purposes: {}, path: null, snapshot: null, vote: null, options: {} },
  ...parts,
});
const spec = (systems: SystemSpec[], parts: Partial<CampaignSpec> = {}): CampaignSpec =>
  ({ systems, models: {}, judge: {}, ...parts }) as CampaignSpec;

const told = (problem: Problem | undefined): string => problemMessage(problem ?? { message: 'no problem' });

it('merges vote settings: defaults, judge, system', () => {
  const own = system({ vote: { voter: 'model', model: 'm' } });
  expect(voteSettings(spec([own], { judge: { vote: { top: 2, voter: 'heuristic' } } }), own)).toEqual({
    ...DEFAULT_VOTE,
    ...{ voter: 'model', model: 'm', top: 2 },
  });
});

it('lets the oracle vote on the reference only', () => {
  const oracle = { vote: { voter: 'oracle' } };
  expect(campaignProblems(spec([system(oracle)]))).toEqual([]);
  const problems = campaignProblems(spec([system(oracle), system({ ...oracle, id: 'empty', generator: 'null' })]));
  expect(problems).toHaveLength(1);
  expect(told(problems[0])).toBe('systems[1].vote: the oracle may not vote on "empty" (generator null)');
});

it('asks for the model of a model voter, and for one that exists', () => {
  const models = { judge: {} as ModelSpec };
  const voter = (model: string | null) =>
    system({ vote: model === null ? { voter: 'model' } : { voter: 'model', model } });
  expect(campaignProblems(spec([voter('judge')], { models }))).toEqual([]);
  const [first, second] = campaignProblems(spec([voter(null), voter('jugde')], { models }));
  expect(first?.message).toContain('no model is named');
  expect(told(second)).toBe('systems[1].vote.model: "jugde" is not in models');
  expect(second?.expected).toContain('judge');
});

it('lets several models vote in turn, each of which exists, and asks for one way to name them', () => {
  const models = { a: { name: 'one' } as ModelSpec, b: { name: 'two' } as ModelSpec };
  const voters = (vote: Record<string, string | string[]>) => system({ vote: { voter: 'model', ...vote } });
  expect(campaignProblems(spec([voters({ models: ['a', 'b'] })], { models }))).toEqual([]);
  const [strange] = campaignProblems(spec([voters({ models: ['a', 'c'] })], { models }));
  expect(told(strange)).toBe('systems[0].vote.models: "c" is not in models');
  const [both] = campaignProblems(spec([voters({ model: 'a', models: ['b'] })], { models }));
  expect(told(both)).toBe('systems[0].vote: names both model and models');
  // A system's own take the place of the judge's.
  const judge = { vote: { voter: 'model', models: ['a', 'b'] } };
  const own = system({ vote: { model: 'b' } });
  expect(votingModels(voteSettings(spec([own], { models, judge }), own))).toEqual(['b']);
});

it('warns of a system that is voted on by its own maker, whatever its key', () => {
  const models = {
    a: { name: 'one' } as ModelSpec,
    b: { name: 'two' } as ModelSpec,
    again: { name: 'one' } as ModelSpec,
  };
  const judge = { vote: { voter: 'model', models: ['b', 'again'] } };
  const systems = [
    system({ id: 'made', model: 'a' }),
    system({ id: 'partly', model: 'c', purposes: { repair: 'b' } }),
    system({ id: 'gold' }),
    system({ id: 'counted', model: 'a', vote: { voter: 'heuristic' } }),
  ];
  expect(ownVotes(spec(systems, { models, judge }))).toEqual([
    'made is voted on by one, which also made it: let another model vote',
    'partly is voted on by two, which also made it: let another model vote',
  ]);
});

it('lets the truth vote on derived candidates only, and asks what to derive', () => {
  const derive = (kind: string) => system({ generator: 'derived', options: { derive: { kind } } });
  expect(campaignProblems(spec([derive('renamed')], { judge: { vote: { voter: 'truth' } } }))).toEqual([]);
  const [elsewhere] = campaignProblems(spec([system({ generator: 'null', vote: { voter: 'truth' } })]));
  expect(told(elsewhere)).toBe('systems[0].vote: nobody knows the truth about "s" (generator null)');
  expect(campaignProblems(spec([system({ generator: 'derived' })]))[0]?.expected).toContain('partial-1 to partial-100');
  const moved = campaignProblems(spec([derive('moved')], { dataset: { projects: ['requests', 'pandas'] } }));
  expect(moved[0]?.message).toContain('the modules of pandas cannot be moved');
});

it('asks for an adapter that exists', () => {
  const models = { small: {} as ModelSpec };
  const judged = (model: string) => campaignProblems(spec([], { models, judge: { adapt: { model, calls: 3 } } }));
  const [reranked] = campaignProblems(spec([], { models, judge: { rerank: { model: 'smal' } } }));
  expect(told(reranked)).toBe('judge.rerank.model: "smal" is not in models');
  expect(judged('small')).toEqual([]);
  expect(judged('smal')).toEqual([
    {
      path: ['judge', 'adapt', 'model'],
      message: '"smal" is not in models',
      expected: 'one of the models of this file: small',
      fix: 'write adapt: { model: small }, or leave adapt out',
    },
  ]);
});

it('asks for what a program is run by, and refuses what no limit allows', () => {
  const of = (options: object) =>
    system({ generator: 'command', model: 'm', options: options as SystemSpec['options'] });
  const whole = { image: 'base', command: ['agent'], wall_seconds: 60 };
  expect(campaignProblems(spec([of(whole)]))).toEqual([]);
  expect(campaignProblems(spec([of({})])).map(told)).toEqual([
    'systems[0]: the generator command has no image',
    'systems[0]: the generator command has no command',
  ]);
  expect(campaignProblems(spec([of({ ...whole, turns: 3 })]))[0]?.message).toContain('has no such setting');
  const refused = (options: object): string[] =>
    optionsSchema.safeParse({ ...whole, ...options }).error?.issues.map(({ path }) => path.join('.')) ?? [];
  expect([refused({}), refused({ command: [] }), refused({ command: ['  ', 'x'] })]).toEqual([
    [],
    ['command'],
    ['command'],
  ]);
  expect(refused({ wall_seconds: 1_000_000, image: '../base' })).toEqual(['image', 'wall_seconds']);
  expect(refused({ turns: 101, turn_seconds: 3601, work_seconds: 14_401 })).toEqual([
    ...['turns', 'turn_seconds', 'work_seconds'],
  ]);
  expect(refused({ turns: 100, turn_seconds: 3600, work_seconds: 14_400 })).toEqual([]);
});

it('refuses a purpose that names a project of the campaign, wherever a system may bring one', () => {
  const own = (purpose: string, generator = 'zerorepo') => system({ generator, options: { purpose } });
  const of = (projects: string[] | undefined, ...systems: SystemSpec[]) =>
    campaignProblems(spec(systems, { dataset: projects === undefined ? {} : { projects } }));
  const [first] = of(['django', 'textkit'], own('A Django-like framework.'));
  expect(told(first)).toBe('systems[0].purpose: names the project it describes, django, as "Django"');
  expect(first?.expected).toContain('never its name');
  for (const generator of ['single-prompt', 'iterative', 'agent', 'command'])
    expect(of(['requests'], own('The requests library, again.', generator)).map(told)).toContain(
      'systems[0].purpose: names the project it describes, requests, as "requests library"',
    );
  // It may speak of another library, and of what its project’s name means.
  expect(of(['requests'], own('Sends requests, unlike pandas.'))).toEqual([]);
  // A campaign that names no project takes all of them; one that names tasks, theirs.
  expect(of(undefined, own('Like pandas.'))).toHaveLength(1);
  const dataset = { tasks: ['pandas-frame-001'] };
  expect(campaignProblems(spec([own('Like pandas.')], { dataset }))).toHaveLength(1);
  expect(campaignProblems(spec([own('Like sympy.')], { dataset }))).toEqual([]);
  const learning = { tasks: ['sklearn-cluster-bisecting_k_means-001'] };
  expect(campaignProblems(spec([own('Like scikit-learn.')], { dataset: learning }))).toHaveLength(1);
});
