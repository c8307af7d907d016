import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelRulesInput } from './model-rules.js';
import { runMockModel } from './run-mock-model.js';
import { startScriptedModelServer, type ScriptedModelServer } from './scripted-model-server.js';

const running: { close(): Promise<void> }[] = [];
const folder = mkdtempSync(join(tmpdir(), 'durabench-mock-'));
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});
afterEach(() => rmSync(join(folder, 'log.jsonl'), { force: true }));

describe('the scripted model', () => {
  it('answers by the first rule that matches', async () => {
    const server = await serve({
      rules: [
        { match: { purpose: 'vote', contains: ['cookies', 'jar'] }, answer: 'vote on cookies' },
        { match: { system: 'judge' }, answer: 'for the judge' },
        { match: { model: 'big' }, answer: 'for the big model' },
        {
          match: { regex: 'function (\\w+)\\((?<argument>\\w+)\\)' },
          template: 'def {{1}}({{ argument }}): {{none}}pass',
        },
      ],
      default: { answer: 'anything' },
    });
    expect(await text(server, 'the cookies in the jar', { purpose: 'vote' })).toBe('vote on cookies');
    expect(await text(server, 'the cookies in the jar')).toBe('anything');
    expect(await text(server, 'hello', { system: 'You are a judge.' })).toBe('for the judge');
    expect(await text(server, 'hello', { model: 'big' })).toBe('for the big model');
    expect(await text(server, 'make function add(a)\nplease')).toBe('def add(a): pass');
    expect(server.requests.map((seen) => seen.rule)).toEqual(['rule 1', 'default', 'rule 2', 'rule 3', 'rule 4']);
  });

  it('takes what a developer says for what the system says', async () => {
    const server = await serve({
      rules: [{ match: { system: 'judge' }, answer: 'for the judge' }],
      default: { answer: 'anything' },
    });
    expect(await text(server, 'hello', { developer: 'You are a judge.' })).toBe('for the judge');
    expect(await text(server, 'You are a judge.')).toBe('anything');
  });

  it('answers a share of what is asked, the same ones every time, others with another seed', async () => {
    const drawn = async (share: number, seed?: number): Promise<string> => {
      const match = { contains: 'question', share, ...(seed !== undefined && { seed }) };
      const server = await serve({ rules: [{ match, answer: '1' }], default: { answer: '0' } });
      const asked = Array.from({ length: 100 }, (_, n) => text(server, `question ${n}`));
      return (await Promise.all(asked)).join('');
    };
    const all = [drawn(0.3), drawn(0.3, 0), drawn(0.3, 1), drawn(0.7), drawn(0), drawn(1)] as const;
    const [some, again, others, more, none, each] = await Promise.all(all);
    const count = (marks: string): number => [...marks].filter((mark) => mark === '1').length;
    expect(again).toBe(some);
    expect(others).not.toBe(some);
    expect([count(none), count(each)]).toEqual([0, 100]);
    expect(count(some)).toBeGreaterThan(15);
    expect(count(some)).toBeLessThan(45);
    expect([...more].every((mark, n) => mark === '1' || some[n] === '0')).toBe(true);
  });

  it('counts: nth request of a rule, times a rule is used, attempts of one call', async () => {
    const server = await serve({
      rules: [
        { match: { contains: 'nth', nth: 2 }, answer: 'second' },
        { match: { contains: 'times' }, answer: 'used', times: 1 },
        { match: { contains: 'call', attempt: 1 }, answer: 'first attempt' },
      ],
      default: { answer: 'else' },
    });
    expect([await text(server, 'nth 1'), await text(server, 'nth 2'), await text(server, 'nth 3')]).toEqual([
      'else',
      'second',
      'else',
    ]);
    expect([await text(server, 'times 1'), await text(server, 'times 2')]).toEqual(['used', 'else']);
    const calls = [await text(server, 'call a'), await text(server, 'call b'), await text(server, 'call a')];
    expect(calls).toEqual(['first attempt', 'first attempt', 'else']);
    expect(server.requests.at(-1)?.attempt).toBe(2);
  });

  it('names the nearest rule where none matches', async () => {
    const server = await serve({
      rules: [
        { name: 'far', match: { purpose: 'adapt', model: 'big', contains: 'x' }, answer: 'a' },
        { name: 'near', match: { purpose: 'vote', contains: ['cookies', 'jars'] }, answer: 'b' },
      ],
    });
    const reply = await post(server, 'the cookies', { purpose: 'vote' });
    expect(reply.status).toBe(404);
    const { error } = (await reply.json()) as { error: { message: string } };
    expect(error.message).toContain('Nearest is "near", but this does not hold: contains: jars.');
  });

  it('counts tokens steadily where the rule gives none', async () => {
    const server = await serve({ default: { answer: 'x'.repeat(40) } });
    const usage = async (): Promise<unknown> =>
      ((await (await post(server, 'y'.repeat(80))).json()) as { usage: unknown }).usage;
    const expected = {
      prompt_tokens: 4 + 20,
      completion_tokens: 10,
      total_tokens: 34,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    };
    expect(await usage()).toEqual(expected);
    expect(await usage()).toEqual(expected);
  });

  it('speaks the stream of the API, with usage only where asked', async () => {
    const server = await serve({ default: { answer: 'a'.repeat(130) } });
    const body = await (await post(server, 'hello', { stream: true })).text();
    const events = body.trim().split('\n\n');
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events
      .slice(0, -1)
      .map((event) => JSON.parse(event.slice('data: '.length)) as { choices: unknown[] });
    expect(chunks).toHaveLength(4);
    expect(chunks.at(-1)?.choices).toEqual([{ index: 0, delta: {}, finish_reason: 'stop' }]);
    expect(body).not.toContain('usage');
  });

  it('lists its models, and says what else it does not serve', async () => {
    const server = await serve({ models: ['a', 'b'], default: { answer: 'ok' } });
    const models = (await (await fetch(`${server.url}/models`)).json()) as { data: { id: string }[] };
    expect(models.data.map((model) => model.id)).toEqual(['a', 'b']);
    expect((await fetch(`${server.url}/embeddings`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await fetch(`${server.url}/chat/completions`, { method: 'POST', body: 'not json' })).status).toBe(400);
  });
});

describe('mock-model', () => {
  it('serves a rules file with the files it names, and logs each request without key or prompt', async () => {
    writeFileSync(join(folder, 'answer.md'), 'from a file');
    const rules = file('rules.yaml', 'rules:\n  - match: {contains: hello}\n    file: answer.md\n');
    const server = await started({ rulesPath: rules, logPath: join(folder, 'log.jsonl') });
    const reply = await post(server, 'hello secret', { key: 'sk-very-secret-key' });
    expect(await reply.text()).toContain('from a file');
    const log = readFileSync(join(folder, 'log.jsonl'), 'utf8');
    expect(JSON.parse(log)).toMatchObject({ n: 1, rule: 'rule 1', status: 200, authorized: true, attempt: 1 });
    expect(log).not.toMatch(/secret/);
  });

  it('answers with the file that the groups of a match name, inside its folder', async () => {
    mkdirSync(join(folder, 'answers'));
    writeFileSync(join(folder, 'answers', 't1-a.md'), 'of the first task');
    writeFileSync(join(folder, 'outside.md'), 'of nobody');
    const rules = file(
      'rules.yaml',
      `rules:\n  - { match: { regex: 'task (?<task>\\S+)' }, file: 'answers/{{ task }}.md' }\ndefault: { answer: another }\n`,
    );
    const server = await started({ rulesPath: rules });
    const said = async (text: string): Promise<string> => (await post(server, text)).text();
    expect(await said('do task t1-a')).toContain('of the first task');
    for (const name of ['t1-b', '../outside', 'constructor'])
      expect(await said(`do task ${name}`)).toContain('another');
    const none = file('nowhere.yaml', `rules:\n  - { match: { regex: '(.)' }, file: 'nowhere/{{1}}.md' }\n`);
    expect((await problemsOf(none)).map(({ message }) => message)).toEqual([
      'rules[0].file: no file is called like nowhere/{{1}}.md.',
    ]);
  });

  it('says everything that is wrong with a rules file at once', async () => {
    const rules = file(
      'bad.yaml',
      [
        'rules:',
        '  - match: {contain: hello}',
        '    answer: a',
        '  - match: {regex: "(unclosed"}',
        '    answer: a',
        '  - answer: a',
        '    status: 99',
        'defaults: {answer: b}',
      ].join('\n'),
    );
    const problems = await problemsOf(rules);
    expect(problems.map((problem) => problem.message)).toEqual([
      `${rules}:2:13: unknown key "contain" in rules[0].match`,
      `${rules}:7:13: rules[2].status is 99`,
      `${rules}:8:1: unknown key "defaults"`,
    ]);
    expect(problems[0]?.fix).toBe('did you mean "contains"?');
    expect(problems[1]?.expected).toBe('a whole number from 400 to 599');
    // Those of its place alone: a campaign file has a name, and so has a rule.
    expect(problems[0]?.expected).toBe(
      'the keys purpose, model, contains, system, regex, turn, tool, share, seed, nth, attempt',
    );
    expect(problems[2]?.fix).toBe('did you mean "default"?');
    const [campaign] = await problemsOf(file('campaign.yaml', 'name: x'));
    expect(campaign?.message).toMatch(/campaign\.yaml:1:1: unknown key "name"$/);
    expect(campaign).toMatchObject({ fix: 'remove "name"' });
  });

  it('checks what a schema cannot: regex, one text a rule, template with regex, files', async () => {
    const rules = file(
      'worse.yaml',
      [
        'rules:',
        '  - {match: {regex: "(unclosed"}, answer: a}',
        '  - {answer: a, file: b.md}',
        '  - {match: {contains: x}}',
        '  - {template: "{{1}}"}',
        '  - {file: absent.md}',
        '  - {status: 500}',
      ].join('\n'),
    );
    expect((await problemsOf(rules)).map((problem) => problem.message)).toEqual([
      expect.stringContaining('rules[0].match.regex'),
      'rules[1] has answer and file at once.',
      expect.stringContaining('b.md cannot be read'),
      'rules[2] has no answer.',
      'rules[3].template has no groups to be filled from.',
      expect.stringContaining('absent.md cannot be read'),
    ]);
  });

  it('understands the rules of docs/guides/mock-model.md', async () => {
    const page = readFileSync(new URL('../../docs/guides/mock-model.md', import.meta.url), 'utf8');
    const blocks = [...page.matchAll(/```yaml\n([^]*?)```/g)].map((block) => block[1] ?? '');
    mkdirSync(join(folder, 'answers'), { recursive: true });
    writeFileSync(join(folder, 'answers', 'candidate.md'), 'files');
    await started({ rulesPath: file('page.yaml', blocks[1] ?? '') });
  });

  it('refuses what is not YAML, not there, or not its port', async () => {
    expect((await problemsOf(file('not.yaml', 'rules: [')))[0]?.message).toMatch(/not\.yaml:\d+:\d+: not valid YAML/);
    expect((await problemsOf(file('list.yaml', '- a\n- b')))[0]?.message).toMatch(
      /list\.yaml:1:1: the file is \["a","b"\]$/,
    );
    expect((await problemsOf(join(folder, 'none.yaml')))[0]?.message).toContain('cannot be read');
    const rules = file('rules.yaml', 'default: {answer: ok}');
    const first = await started({ rulesPath: rules });
    const second = await runMockModel({ rulesPath: rules, port: first.port, host: '127.0.0.1', logPath: null });
    expect(second).toMatchObject({ problems: [{ message: expect.stringContaining('EADDRINUSE') as string }] });
  });
});

async function serve(rules: ModelRulesInput): Promise<ScriptedModelServer> {
  const server = await startScriptedModelServer({ rules });
  running.push(server);
  return server;
}

async function started(options: { rulesPath: string; logPath?: string }): Promise<ScriptedModelServer> {
  const server = await runMockModel({ port: 0, host: '127.0.0.1', logPath: null, ...options });
  if ('problems' in server) throw new Error(JSON.stringify(server.problems));
  running.push(server);
  return server;
}

async function problemsOf(rulesPath: string) {
  const result = await runMockModel({ rulesPath, port: 0, host: '127.0.0.1', logPath: null });
  if ('problems' in result) return result.problems;
  running.push(result);
  throw new Error('it started');
}

function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

function post(
  server: ScriptedModelServer,
  content: string,
  more: { purpose?: string; system?: string; developer?: string; model?: string; stream?: boolean; key?: string } = {},
): Promise<Response> {
  const told = (['system', 'developer'] as const).flatMap((role) => {
    const said = more[role];
    return said === undefined ? [] : [{ role, content: said }];
  });
  return fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: {
      ...(more.purpose === undefined ? {} : { 'x-durabench-purpose': more.purpose }),
      ...(more.key === undefined ? {} : { authorization: `Bearer ${more.key}` }),
    },
    body: JSON.stringify({
      model: more.model ?? 'scripted',
      stream: more.stream ?? false,
      messages: [...told, { role: 'user', content }],
    }),
  });
}

async function text(...input: Parameters<typeof post>): Promise<string | undefined> {
  const reply = await post(...input);
  const body = (await reply.json()) as { choices?: { message: { content: string } }[] };
  return body.choices?.[0]?.message.content;
}
