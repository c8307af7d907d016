import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readCampaignFile } from './campaign-file.js';
import { describeSpec } from './describe.js';
import { campaignJsonSchema } from './json-schema.js';
import { keyProblems } from './preflight.js';
import type { SuiteRules } from './suite-rules.js';

const vote = z.strictObject({
  voter: z.enum(['oracle', 'heuristic', 'model']).default('heuristic'),
  model: z.string().optional(),
  voters: z.int().min(1).default(3),
});

const suite: SuiteRules = {
  manifest: { id: 'repocraft' },
  schemas: {
    dataset: z.strictObject({ projects: z.array(z.string()).default(['requests']), limit: z.int().min(1).optional() }),
    judge: z.strictObject({ vote: vote.optional() }),
    vote,
    options: z.strictObject({ variant: z.string().optional() }),
  },
  generators: {
    gold: { needsModel: false, needsPath: false, description: 'the reference' },
    snapshot: { needsModel: false, needsPath: true, description: 'a folder' },
    'single-prompt': {
      needsModel: true,
      needsPath: false,
      purposes: ['generate', 'vote'],
      description: 'one call',
    },
  },
  dataset: { projects: ['requests', 'django'] },
  campaignProblems: (spec) =>
    spec.systems.flatMap((system, index) =>
      system.vote?.voter === 'oracle' && system.generator !== 'gold'
        ? [
            {
              path: ['systems', index, 'vote', 'voter'],
              message: 'oracle is for references',
              expected: 'heuristic, model',
              fix: 'choose one',
            },
          ]
        : [],
    ),
};

const GOOD = `# yaml-language-server: $schema=./campaign.schema.json
name: requests-smoke
suite: repocraft
dataset: { projects: [requests], limit: 50 }
models:
  small: { name: gpt-4o-mini, base_url: "https://api.example/v1/", api_key_env: OPENAI_API_KEY, price: { input: 0.15, output: 0.60 } }
  local: { name: scripted, base_url: "http://127.0.0.1:4010/v1", price: free }
systems:
  - { id: gold, generator: gold, vote: { voter: oracle } }
  - id: one-call
    generator: single-prompt
    model: small
    purposes: { vote: local }
    limits: { usd: 50, tokens: 5_000_000 }
judge: { vote: { voter: model, model: small } }
budget: { usd: 60, tokens: 8_000_000, wall_hours: 24, trials: 100, soft: 0.9 }
isolation: container
concurrency: { batches: 2, trials: 16, model: 8, sandbox: 2 }
`;

const read = (text: string) => readCampaignFile({ text, file: 'folder/campaign.yaml', suites: [suite] });

function problemsOf(text: string) {
  const reading = read(text);
  if (!('problems' in reading)) throw new Error('the file was accepted');
  return reading.problems;
}

function specOf(text: string) {
  const reading = read(text);
  if ('problems' in reading) throw new Error(JSON.stringify(reading.problems, null, 1));
  return reading.spec;
}

describe('a good campaign file', () => {
  it('becomes a spec with every default filled in', () => {
    expect(specOf(GOOD)).toEqual({
      name: 'requests-smoke',
      suite: 'repocraft',
      dataset: { projects: ['requests'], limit: 50 },
      models: {
        small: {
          name: 'gpt-4o-mini',
          baseUrl: 'https://api.example/v1',
          apiKeyEnv: 'OPENAI_API_KEY',
          price: { input: 0.15, output: 0.6 },
          maxOutputTokens: 4096,
          temperature: null,
          timeoutSeconds: 300,
        },
        local: {
          name: 'scripted',
          baseUrl: 'http://127.0.0.1:4010/v1',
          apiKeyEnv: null,
          price: 'free',
          maxOutputTokens: 4096,
          temperature: null,
          timeoutSeconds: 300,
        },
      },
      systems: [
        {
          id: 'gold',
          generator: 'gold',
          model: null,
          purposes: {},
          path: null,
          snapshot: null,
          vote: { voter: 'oracle', voters: 3 },
          options: {},
        },
        {
          id: 'one-call',
          generator: 'single-prompt',
          model: 'small',
          purposes: { vote: 'local' },
          path: null,
          snapshot: null,
          vote: null,
          options: {},
          limits: { usd: 50, tokens: 5_000_000, total: { usd: null, tokens: null } },
        },
      ],
      judge: { vote: { voter: 'model', model: 'small', voters: 3 } },
      repeats: 1,
      budget: { usd: 60, tokens: 8_000_000, wallHours: 24, trials: 100, soft: 0.9 },
      isolation: 'container',
      concurrency: { batches: 2, trials: 16, model: 8, sandbox: 2 },
      seed: 0,
    });
  });

  it('needs no more than a name, a suite and a system', () => {
    const spec = specOf('{ name: a, suite: repocraft, systems: [{ id: gold, generator: gold }] }');
    expect(spec.budget).toEqual({ usd: null, tokens: null });
    expect(spec.concurrency).toEqual({ batches: 2, trials: 16, model: 8, sandbox: 2 });
    expect(spec.dataset).toEqual({ projects: ['requests'] });
    expect(spec.isolation).toBeUndefined();
  });

  it('asks a model through a Batch API where it says so, and is printed as it is read again', () => {
    const text = GOOD.replace(', price: free', ', price: free, batch_api: { price_factor: 0.5 }');
    const spec = specOf(text);
    expect(spec.models['small']).not.toHaveProperty('batchApi');
    expect(spec.models['local']?.batchApi).toEqual({ priceFactor: 0.5, collectSeconds: 60 });
    expect(specOf(describeSpec(spec)).models).toEqual(spec.models);
  });

  it('may call a system and its generator null, without quotes', () => {
    const withNull = { ...suite, generators: { ...suite.generators, null: suite.generators.gold! } };
    const text = 'name: a\nsuite: repocraft\nsystems:\n  - { id: null, generator: null }\n  - { id: x, generator: }\n';
    const reading = readCampaignFile({ text, file: 'a.yaml', suites: [withNull] });
    expect('problems' in reading && reading.problems.map((problem) => problem.message)).toEqual([
      'a.yaml:5:25: systems[1].generator has no value',
    ]);
    const repaired = readCampaignFile({
      text: text.replace('generator: }', 'generator: gold }'),
      file: 'a.yaml',
      suites: [withNull],
    });
    expect('spec' in repaired && repaired.spec.systems.map(({ id, generator }) => [id, generator])).toEqual([
      ['null', 'null'],
      ['x', 'gold'],
    ]);
  });

  it('is printed without credentials of its endpoints', () => {
    const spec = specOf(GOOD);
    spec.models.small!.baseUrl = 'https://me:hunter2@api.example/v1';
    const text = describeSpec(spec);
    expect(text).toContain('one-call');
    expect(text).not.toContain('hunter2');
  });
});

describe('whom a campaign tells', () => {
  const notifying = (entry: string): string =>
    `{ name: a, suite: repocraft, notify: [${entry}], systems: [{ id: gold, generator: gold }] }`;

  it('is read with what holds where nothing is said, and printed as it is read again', () => {
    const spec = specOf(notifying('{ webhook_env: HOOK, authorization_env: TOKEN }, { command: [tell], on: [end] }'));
    expect(spec.notify).toEqual([
      { webhookEnv: 'HOOK', authorizationEnv: 'TOKEN', on: ['end', 'soft_budget', 'stall'], stallMinutes: 30 },
      { command: ['tell'], on: ['end'], stallMinutes: 30 },
    ]);
    expect(specOf(describeSpec(spec)).notify).toEqual(spec.notify);
  });

  it.each([
    ['{ on: [end] }', 'notify[0] is'],
    ['{ webhook_env: A, command: [b] }', 'notify[0] is'],
    ['{ webhook: "https://hooks.example/x?token=hunter2" }', 'notify[0].webhook'],
    ['{ webhook: "ftp://hooks.example" }', 'notify[0].webhook'],
    ['{ webhook_env: sk-hunter2 }', 'notify[0].webhook_env'],
    ['{ command: [./tell] }', 'notify[0].command'],
    ['{ webhook_env: A, on: [begin] }', 'notify[0].on[0]'],
    ['{ webhook_env: A, stall_minutes: 0 }', 'notify[0].stall_minutes'],
  ])('%s is refused', (entry, told) => {
    const reading = readCampaignFile({ text: notifying(entry), file: 'a.yaml', suites: [suite] });
    const problems = 'problems' in reading ? reading.problems : [];
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(told);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
    if (told === 'notify[0] is') expect(problems[0]?.expected).toContain('exactly one of webhook, webhook_env');
  });
});

describe('a bad campaign file: three lines for each problem', () => {
  const cases: [name: string, from: string | RegExp, to: string, expected: [RegExp, RegExp, RegExp]][] = [
    [
      'unknown top-level key',
      'budget:',
      'budgets:',
      [/campaign\.yaml:16:1: unknown key "budgets"/, /name, suite.*budget/, /did you mean "budget"\?/],
    ],
    [
      'unknown key in a system',
      '    model: small\n',
      '    model: small\n    modle: small\n',
      [/campaign\.yaml:13:5: unknown key "modle" in systems\[1\]/, /id, generator, model.*limits/, /"model"/],
    ],
    [
      'unknown key in a model',
      'api_key_env',
      'apikey_env',
      [/6:\d+: unknown key "apikey_env" in models\.small/, /api_key_env/, /"api_key_env"/],
    ],
    [
      'unknown key in a suite part',
      'limit: 50',
      'limt: 50',
      [/4:\d+: unknown key "limt" in dataset/, /projects, limit/, /"limit"/],
    ],
    [
      'unknown suite',
      'suite: repocraft',
      'suite: repocarft',
      [/3:8: suite: "repocarft" is not a suite/, /one of repocraft/, /"repocraft"/],
    ],
    [
      'unknown generator',
      'generator: gold',
      'generator: glod',
      [/9:\d+: systems\[0\]\.generator: "glod"/, /gold, snapshot, single-prompt/, /"gold"/],
    ],
    [
      'unknown project',
      '[requests]',
      '[request]',
      [/4:23: dataset\.projects\[0\]: "request" is not a project/, /requests, django/, /"requests"/],
    ],
    [
      'unknown model',
      'model: small\n',
      'model: smal\n',
      [/12:12: systems\[1\]\.model: "smal"/, /small, local/, /"small"/],
    ],
    [
      'unknown model of a purpose',
      'vote: local',
      'vote: locl',
      [/13:\d+: systems\[1\]\.purposes\.vote: "locl"/, /small, local/, /"local"/],
    ],
    [
      'unknown purpose',
      'vote: local',
      'votes: local',
      [/13:\d+: systems\[1\]\.purposes\.votes: "votes" is not a purpose of .*prompt"/, /generate, vote/, /"vote"/],
    ],
    [
      'a purpose without a model',
      '    model: small\n',
      '',
      [
        /systems\[1\]: generator "single-prompt" needs a model for generate$/,
        /small, local/,
        /model: small.*every purp/,
      ],
    ],
    [
      'a setting under options that is wrong',
      'generator: single-prompt\n',
      'generator: single-prompt\n    options: { variant: 3 }\n',
      [/12:25: systems\[1\]\.variant is 3/, /./, /variant: "3"/],
    ],
    [
      'an unknown setting under options',
      'generator: single-prompt\n',
      'generator: single-prompt\n    options: { varant: x }\n',
      [/12:16: unknown key "varant" in systems\[1\]/, /variant/, /"variant"/],
    ],
    [
      'unknown word',
      'voter: model',
      'voter: modle',
      [/15:\d+: judge\.vote\.voter is "modle"/, /oracle, heuristic, model/, /"model"/],
    ],
    [
      'a baseline that is no system',
      'isolation: container',
      'experiment: { baseline: golden }',
      [/17:\d+: experiment\.baseline: "golden" is not a system of this file/, /gold, one-call/, /"gold"/],
    ],
    [
      'an effect of nothing',
      'isolation: container',
      'experiment: { baseline: gold, smallest_effect: 0 }',
      [/17:\d+: experiment\.smallest_effect is 0/, /above 0 and below 1/, /./],
    ],
    ['negative budget', 'usd: 60', 'usd: -1', [/16:\d+: budget\.usd is -1/, /from 0/, /./]],
    ['negative price', 'input: 0.15', 'input: -0.15', [/6:\d+: models\.small\.price\.input is -0\.15/, /from 0/, /./]],
    [
      'duplicate system id',
      'id: one-call',
      'id: gold',
      [/10:9: systems\[1\]\.id: there is already a system "gold"/, /^$/, /gold-2/],
    ],
    [
      'bad system id',
      'id: one-call',
      'id: One Call!',
      [/systems\[1\]\.id: "One Call!" may hold only/, /a-z/, /one-call/],
    ],
    [
      'a parameter with a setting of its own in extra_body',
      ', price: free',
      ', price: free, extra_body: { top_p: 1 }',
      [/7:\d+: models\.local\.extra_body/, /none that has its own setting/, /./],
    ],
    [
      'no room for an answer beside the reasoning',
      ', price: free',
      ', price: free, reasoning_tokens: 4096',
      [/7:\d+: models\.local\.reasoning_tokens/, /within max_output_tokens/, /./],
    ],
    [
      'a Batch API of no known price',
      ', price: free',
      ', price: free, batch_api: {}',
      [/7:\d+: models\.local\.batch_api\.price_factor is missing/, /a share of price, above 0/, /price_factor/],
    ],
    [
      'unpriced model',
      ', price: free',
      '',
      [/7:3: models\.local\.price is missing/, /^the word free, or \{ input: N/, /add `price: /],
    ],
    [
      'no model where one is needed',
      '    model: small\n    purposes: { vote: local }\n',
      '',
      [/systems\[1\]: generator "single-prompt" needs a model/, /small, local/, /model: small/],
    ],
    [
      'no path where one is needed',
      'generator: gold,',
      'generator: snapshot,',
      [/9:\d+: systems\[0\]: generator "snapshot" needs a path/, /folder/, /path/],
    ],
    [
      'a path where none is taken',
      'generator: gold,',
      'generator: gold, path: x,',
      [/systems\[0\]\.path: generator "gold" takes no path/, /./, /snapshot/],
    ],
    ['text for a number', 'usd: 60', 'usd: lots', [/budget\.usd is "lots"/, /from 0/, /./]],
    ['number for a text', 'name: requests-smoke', 'name: 12', [/name is 12/, /a-z/, /quotes.*"12"/]],
    [
      'endpoint that goes too far',
      '/v1/"',
      '/v1/chat/completions"',
      [/base_url is/, /before \/chat\/completions/, /./],
    ],
    [
      'model without an endpoint',
      ' base_url: "http://127.0.0.1:4010/v1",',
      '',
      [/models\.local\.base_url is missing/, /OpenAI-compatible endpoint/, /add `base_url: https:/],
    ],
    [
      'model with an endpoint and rules',
      'base_url: "http://127.0.0.1:4010/v1"',
      'base_url: "http://127.0.0.1:4010/v1", rules: rules.yaml',
      [/models\.local\.rules is "rules\.yaml"/, /in the place of base_url/, /./],
    ],
    [
      'endpoint that is no address',
      '"http://127.0.0.1:4010/v1"',
      'localhost:4010',
      [/base_url is "localhost:4010"/, /http/, /./],
    ],
    [
      'endpoint with credentials, which are not repeated',
      'https://api.example/v1/',
      'https://me:hunter2@api.example/v1/',
      [/base_url is "https:\/\/…@api\.example\/v1\/"/, /without user name, password/, /./],
    ],
    [
      'endpoint with a query, which is not repeated',
      'https://api.example/v1/',
      'https://api.example/v1?key=hunter2',
      [/base_url is "https:\/\/api\.example\/v1\?…"/, /query/, /./],
    ],
    [
      'endpoint with a fragment, and a password that is no URL any more',
      'https://api.example/v1/',
      'htps://me:hun/ter2@api.example/v1#hunter2',
      [/base_url is "(?!.*(me|ter2))/, /fragment/, /./],
    ],
    ...['sk-live-4fX9hunter2', 'gsk_4fX9hunter2', 'a8Fk02mVhunter2PqZ77wLx3T'].map(
      (key): [string, string, string, [RegExp, RegExp, RegExp]] => [
        `a key where the name of its variable belongs, which is not repeated (${key.slice(0, 3)})`,
        'OPENAI_API_KEY',
        key,
        [/api_key_env is "… \(\d+ characters\)"(?!.*hunter2)/, /NAME/, /OPENAI_API_KEY/],
      ],
    ),
    [
      'a combination the suite refuses',
      'generator: single-prompt\n',
      'generator: single-prompt\n    vote: { voter: oracle }\n',
      [/12:\d+: systems\[1\]\.vote\.voter: oracle/, /heuristic/, /choose/],
    ],
    [
      'YAML 1.2 key twice',
      'name: requests-smoke',
      'name: a\nname: b',
      [/campaign\.yaml:3:1: not valid YAML/, /every key once/, /line 3/],
    ],
  ];

  it.each(cases)('%s', (_, from, to, expected) => {
    const text = GOOD.replace(from, to);
    expect(text).not.toBe(GOOD);
    const problems = problemsOf(text);
    expect(problems.map((problem) => problem.message)).toHaveLength(1);
    const [problem] = problems;
    expect(problem?.message).toMatch(expected[0]);
    expect(problem?.expected ?? '').toMatch(expected[1]);
    expect(problem?.fix).toMatch(expected[2]);
  });

  it.each([
    ['not YAML', 'name: [unclosed', /not valid YAML/],
    ['empty', '', /it is empty/],
    ['a list', '- a', /not a mapping/],
    [
      'an alias bomb',
      `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(60)}]\nc: [${'*b,'.repeat(60)}]`,
      /YAML|unknown key/,
    ],
    ['binary', '\u0000\u0001\u0002', /not/],
  ])('%s', (_, text, what) => {
    expect(problemsOf(text)[0]?.message).toMatch(what);
  });

  it('says all problems of a file at once, in file order', () => {
    const text = GOOD.replace('suite: repocraft', 'suit: repocraft\nsuite: repocraft')
      .replace('usd: 60', 'usd: -1')
      .replace('generator: gold', 'generator: glod')
      .replace(', price: free', '')
      .replace('id: one-call', 'id: gold');
    const places = problemsOf(text).map((problem) => problem.message.replace(/^folder\/campaign\.yaml:(\d+):.*/, '$1'));
    expect(places).toEqual(['3', '8', '10', '11', '17']);
  });

  it('names the key variables that are not set, of used models only', () => {
    const reading = read(GOOD);
    if ('problems' in reading) throw new Error('refused');
    const problems = keyProblems(reading.draft, () => undefined);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(
      /campaign\.yaml:6:\d+: models\.small\.api_key_env: .*OPENAI_API_KEY is not set/,
    );
    expect(keyProblems(reading.draft, () => 'sk-1')).toEqual([]);
    const unused = read(
      GOOD.replace('model: small }', 'model: local }').replace('    model: small\n', '    model: local\n'),
    );
    if ('problems' in unused) throw new Error('refused');
    expect(keyProblems(unused.draft, () => undefined)).toEqual([]);
  });
});

describe('the JSON Schema', () => {
  it('lists the suite, its generators and its own keys', () => {
    const text = JSON.stringify(campaignJsonSchema([suite]));
    for (const word of ['"const":"repocraft"', '"single-prompt"', '"limit"', '"oracle"', '"base_url"', '"limits"'])
      expect(text).toContain(word);
  });
});
