import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../contract/json.js';
import type { StepCall } from '../../contract/trial.js';
import { conversation } from './conversation.js';
import { cutMiddle, OBSERVATION, SAID } from './cut-middle.js';
import { readAction } from './read-action.js';
import { runAgent } from './run-agent.js';
import type { Acted, Thought } from './turns.js';

const TOOLS = ['bash', 'submit'];
const calling = (...calls: unknown[]): { text: string; raw: JsonObject } => ({
  text: 'thinking',
  raw: { tool_calls: calls } as JsonObject,
});
const call = (name: unknown, given: unknown): object => ({ id: 'c1', function: { name, arguments: given } });

describe('an answer', () => {
  it('is one call of a tool, or one block of shell', () => {
    expect(readAction(calling(call('bash', '{"command":"ls"}')), TOOLS)).toEqual({
      ...{ text: 'thinking', problem: null },
      action: { tool: 'bash', input: { command: 'ls' }, callId: 'c1' },
    });
    expect(readAction(calling(call('submit', '')), TOOLS).action).toMatchObject({ tool: 'submit', input: {} });
    const block = readAction({ text: 'I look.\n\n```bash\nls\npwd\n```\n' }, TOOLS);
    expect(block.action).toEqual({ tool: 'bash', input: { command: 'ls\npwd' }, callId: null });
  });

  it.each([
    ['nothing', { text: 'I wonder.' }, /holds no action/],
    ['two blocks', { text: '```bash\na\n```\n```sh\nb\n```' }, /2 blocks/],
    ['a block that is cut off', { text: '```bash\nrm -rf' }, /holds no action/],
    ['two calls', calling(call('bash', '{}'), call('bash', '{}')), /calls 2 tools/],
    ['an unknown tool', calling(call('python', '{}')), /no tool "python".*bash, submit/],
    ['a tool with a name of a megabyte', calling(call('x'.repeat(1_000_000), '{}')), /^.{1,200}$/s],
    ['arguments that are no JSON', calling(call('bash', '{"command": ls')), /no JSON object/],
    ['arguments that are a list', calling(call('bash', '["ls"]')), /no JSON object/],
    ['a call without a name', calling(call(null, '{}')), /without a name/],
    ['a call that is a number', calling(7), /without a name/],
  ])('with %s is told what is wrong', (_, answer, message) => {
    const read = readAction(answer, TOOLS);
    expect(read.action).toBeNull();
    expect(read.problem).toMatch(message);
  });

  it('of a megabyte of thought is kept by its ends', () => {
    const { text } = readAction({ text: `begin ${'.'.repeat(1_000_000)} end` }, TOOLS);
    expect(text.length).toBeLessThan(2 * SAID.kept + 100);
    expect(text).toMatch(/^begin[\s\S]*990,010 characters left out here[\s\S]*end$/);
  });
});

it('an observation is cut by rule, the cut marked', () => {
  expect(cutMiddle('a'.repeat(OBSERVATION.most), OBSERVATION)).toHaveLength(OBSERVATION.most);
  const cut = cutMiddle(`a${'b'.repeat(OBSERVATION.most)}c`, OBSERVATION);
  expect(cut).toMatch(/^ab{4999}\n\[… 90,002 characters left out here …\]\nb{4999}c$/);
});

it('a conversation is rebuilt from its turns alone', () => {
  const prompt = [{ role: 'user' as const, content: 'do it' }];
  const turns = [
    {
      ...{ turn: 1, previous: null, observation: '[exit status 0]\na.py' },
      said: { text: 'I look.', action: { tool: 'bash', input: { command: 'ls' }, callId: 'c9' } },
    },
    { turn: 2, previous: 'x', observation: 'not understood', said: { text: '', action: null } },
    {
      ...{ turn: 3, previous: 'y', observation: 'done' },
      said: { text: '```bash\nls\n```', action: { tool: 'bash', input: { command: 'ls' }, callId: null } },
    },
  ];
  expect(conversation(prompt, turns)).toEqual([
    { role: 'user', content: 'do it' },
    {
      ...{ role: 'assistant', content: 'I look.' },
      tool_calls: [{ id: 'turn-1', type: 'function', function: { name: 'bash', arguments: '{"command":"ls"}' } }],
    },
    { role: 'tool', tool_call_id: 'turn-1', content: '[exit status 0]\na.py' },
    { role: 'assistant', content: '(nothing)' },
    { role: 'user', content: 'not understood' },
    { role: 'assistant', content: '```bash\nls\n```' },
    { role: 'user', content: 'done' },
  ]);
});

describe('the loop', () => {
  /** Steps with their inputs, answered in turn. */
  async function run(answers: (Thought | Acted)[], limits = { turns: 3, seconds: 10 }) {
    const asked: StepCall[] = [];
    let passes = 0;
    const stages = {
      pass: () => Promise.resolve(void (passes += 1)),
      generate: <Result>(step: StepCall): Promise<Result> => {
        asked.push(step);
        return Promise.resolve(answers[asked.length - 1] as Result);
      },
    };
    return { end: await runAgent(stages, limits), asked, passes };
  }
  const thought = (n: number): Thought => ({ thought: `t${n}`, tool: 'bash' });
  const acted = (n: number, more: Partial<Acted> = {}): Acted => ({
    ...{ history: `h${n}`, workspace: null, seconds: 1, isLast: false },
    ...more,
  });

  it('thinks, acts, and asks before each turn whether it may go on; what it hands on are hashes', async () => {
    const { end, asked, passes } = await run([thought(1), acted(1), thought(2), acted(2, { isLast: true })]);
    expect(end).toEqual({ turns: 2, history: 'h2', workspace: null, seconds: 2, because: 'submitted' });
    expect(asked.map(({ step }) => step)).toEqual(['think/1', 'act/1', 'think/2', 'act/2']);
    expect(asked[2]?.input).toEqual({ turn: 2, history: 'h1' });
    expect(asked[3]?.input).toEqual({ turn: 2, history: 'h1', thought: 't2', workspace: null });
    expect(passes).toBe(2);
  });

  it('ends at its turns, at its recorded seconds, and where there can be no further thought', async () => {
    const three = [thought(1), acted(1), { history: 'h2' }, thought(3), acted(3)];
    expect((await run(three)).end).toMatchObject({ because: 'turns', turns: 3, history: 'h3', seconds: 2 });
    const slow = await run([thought(1), acted(1, { seconds: 10 })]);
    expect(slow.end).toMatchObject({ because: 'seconds', turns: 1, seconds: 10 });
    expect((await run([thought(1), acted(1), { ends: 'money' }])).end).toMatchObject({ because: 'money', turns: 1 });
  });
});
