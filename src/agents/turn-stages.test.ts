import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Json } from '../contract/json.js';
import type { StepCall } from '../contract/trial.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import { createFakeSandbox } from '../fakes/fake-sandbox.js';
import { createMemoryBlobs } from '../fakes/memory-blobs.js';
import type { ModelAnswer, Question } from '../ports/model.js';
import type { StageContext } from '../suite/stage.js';
import { bashTool, type Agent, type AgentTool } from './agent-tool.js';
import { runAgent } from './loop/run-agent.js';
import { act, think } from './turn-stages.js';

const SUBMIT: AgentTool<{ verdict?: string | undefined }> = {
  ...{ name: 'submit', description: 'Ends the work.', isLast: true },
  input: z.strictObject({ verdict: z.string().optional() }),
  run: (_context, _input, { workspace }) => Promise.resolve({ observation: 'Submitted.', workspace, seconds: 0 }),
};

/** An agent whose model says one thing after the other, and whose commands append their text to a file. */
async function work(answers: (Partial<ModelAnswer> | DomainFailure)[]) {
  const blobs = createMemoryBlobs();
  const asked: Question[] = [];
  const sandbox = createFakeSandbox({
    ...{ images: ['base'], blobs },
    programs: {
      timeout: ({ command, files }) => {
        const text = command.at(-1) ?? '';
        const before = files.get('log')?.toString() ?? '';
        return { stdout: `${before}${text}`, files: { log: `${before}${text}\n` }, exitCode: text === 'fail' ? 1 : 0 };
      },
    },
  });
  const agent: Agent = {
    prompt: { id: 'agent.v1@1', messages: [{ role: 'user', content: 'do it' }] },
    tools: [bashTool({ image: 'base', seconds: 60 }), SUBMIT],
  };
  const evidence: string[] = [];
  const step = async <Result>({ step: name = '', input = null }: StepCall): Promise<Result> => {
    const context = {
      ...{ step: name, input: JSON.parse(JSON.stringify(input)) as Json, blobs, sandbox },
      ...{ campaign: { id: 'c' }, owner: { kind: 'trial', id: 'c/t/s/1' }, heartbeat: () => undefined },
      signal: new AbortController().signal,
      ask: (question: Question) => {
        asked.push(question);
        const answer = answers[asked.length - 1] ?? new DomainFailure('system.limit-reached', 'enough');
        if (answer instanceof DomainFailure) return Promise.reject(answer);
        return Promise.resolve({ text: '', finishReason: 'stop', usage: null, providerRequestId: null, ...answer });
      },
      attach: (bytes: string, label: { name: string; mediaType: string }) => {
        evidence.push(label.name);
        return blobs.put(bytes, label);
      },
    } as unknown as StageContext;
    return (await (name.startsWith('think') ? think : act)(context, agent)).result as Result;
  };
  const stages = { generate: step, pass: () => Promise.resolve() };
  return { end: await runAgent(stages, { turns: 8, seconds: 600 }), asked, blobs, evidence };
}

const calls = (name: string, given: string): Partial<ModelAnswer> => ({
  text: `I call ${name}.`,
  raw: { tool_calls: [{ id: 'x', type: 'function', function: { name, arguments: given } }] },
});
const runs = (command: string): Partial<ModelAnswer> => calls('bash', JSON.stringify({ command }));
const lastTold = ({ asked }: { asked: Question[] }): string =>
  (asked.at(-1)?.body?.messages.at(-1) as { content: string }).content;

describe('an agent in its workspace', () => {
  it('finds what its commands left, is told what they said, and ends by a tool that ends', async () => {
    const { end, asked, blobs, evidence } = await work([runs('one'), runs('fail'), calls('submit', '{}')]);
    expect(end).toMatchObject({ because: 'submitted', turns: 3 });
    const manifest = JSON.parse((await blobs.get(end.workspace?.manifest ?? '')).toString()) as { log: string };
    expect((await blobs.get(manifest.log)).toString()).toBe('one\nfail\n');
    const messages = asked[2]?.body?.messages as { role: string; content: string }[];
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
    expect([messages[2]?.content, messages[4]?.content]).toEqual([
      '[exit status 0]\none',
      '[exit status 1]\none\nfail',
    ]);
    expect(asked.map(({ ordinal }) => ordinal)).toEqual([1, 2, 3]);
    expect(asked[0]?.body?.tools).toMatchObject([
      { function: { name: 'bash', parameters: { required: ['command'] } } },
      { function: { name: 'submit' } },
    ]);
    expect(evidence).toContain('turn-3.json');
  });

  it('pays for an answer that cannot be read with its turn, and is told why', async () => {
    const odd = await work([{ text: 'hm' }]);
    expect(odd.end).toMatchObject({ because: 'money', turns: 1, workspace: null });
    expect(lastTold(odd)).toMatch(/^This answer was not understood, and nothing was done. It holds no action/);
    expect(lastTold(await work([calls('python', '{}')]))).toContain('There is no tool "python"');
    expect(lastTold(await work([calls('bash', 'ls')]))).toContain('no JSON object');
    expect(lastTold(await work([calls('bash', '{"command":" "}')]))).toMatch(/^Nothing was done: command: /);
    expect(lastTold(await work([calls('bash', '{"cmd":"ls"}')]))).toMatch(/^Nothing was done: command: /);
    // A call that ends the work ends it only where it can be understood.
    const wrong = await work([calls('submit', '{"verdict":3}')]);
    expect(wrong.end).toMatchObject({ because: 'money', turns: 1 });
  });

  it('ends where the conversation is too long or the provider refuses, with what is there; other failures pass', async () => {
    const left = await work([runs('one'), new DomainFailure('model.context-length', 'too long')]);
    expect(left.end).toMatchObject({ because: 'context', turns: 1, workspace: { files: 1 } });
    expect((await work([new DomainFailure('model.content-policy', 'no')])).end.because).toBe('refused');
    await expect(work([new DomainFailure('model.server-error', 'down')])).rejects.toMatchObject({
      type: 'model.server-error',
    });
  });
});
