import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelSpec } from '../../contract/campaign.js';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import type { ModelAnswer } from '../../ports/model.js';
import { createOpenAiModel } from './openai-model.js';

/** Replies over HTTP: good ones in every form the protocol has, broken ones, endless ones, and noise. */
interface Reply {
  status: number;
  type: string;
  pieces: Buffer[];
}

let server: Server;
let spec: ModelSpec;
let next: Reply;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    response.setMaxListeners(0);
    request.on('end', () => void send(response, next));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  spec = {
    ...{ name: 'm', baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, apiKeyEnv: null },
    ...{ price: 'free', maxOutputTokens: 9, temperature: null, timeoutSeconds: 60 },
  };
});

async function send(response: ServerResponse, { status, type, pieces }: Reply): Promise<void> {
  response.writeHead(status, { 'content-type': type });
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

afterAll(() => void server.closeAllConnections());

const model = createOpenAiModel({ readKey: () => undefined });

/** The answer, or the failure; anything else that is thrown fails the test. */
async function ask(reply: Reply): Promise<ModelAnswer | DomainFailure> {
  next = reply;
  const request = {
    messages: [{ role: 'user' as const, content: 'x' }],
    maxOutputTokens: 9,
    temperature: null,
    json: false,
  };
  try {
    return await model.complete(spec, request, new AbortController().signal);
  } catch (error) {
    if (error instanceof DomainFailure) return error;
    throw error;
  }
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        '\0',
        '\u001b[2J',
        '\u202e',
        '\ud83d',
        '\n',
        '\r\n',
        'data: ',
        '[DONE]',
        '\u2028',
        '漢',
        '"',
        '\\',
      ),
    )
    .map((all) => all.join('')),
);
const usage = fc.option(fc.record({ prompt_tokens: fc.nat(9_999), completion_tokens: fc.nat(9_999) }), {
  nil: undefined,
});
const meant = fc.record({ text, usage, finish: fc.constantFrom('stop', 'length') });
type Meant = typeof meant extends fc.Arbitrary<infer Value> ? Value : never;

function document({ text: content, usage: counted, finish }: Meant): object {
  return { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finish }], usage: counted };
}

/** As a stream of deltas of so many characters. */
function events({ text: content, usage: counted, finish }: Meant, size: number, lineEnd: string): string {
  const deltas = Array.from({ length: Math.ceil(content.length / size) }, (_, n) =>
    content.slice(n * size, (n + 1) * size),
  );
  const chunks: object[] = [
    ...deltas.map((part) => ({ choices: [{ index: 0, delta: { content: part }, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    ...(counted === undefined ? [] : [{ choices: [], usage: counted }]),
  ];
  return [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
    .map((data) => `data: ${data}${lineEnd}${lineEnd}`)
    .join('');
}

/** Bytes in pieces of one size, which may end in the middle of a character. */
function inPieces(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
}

const written = fc
  .tuple(
    meant,
    fc.boolean(),
    fc.integer({ min: 1, max: 9 }),
    fc.constantFrom('\n', '\r\n'),
    fc.integer({ min: 1, max: 200 }),
  )
  .map(([said, isStream, size, lineEnd, piece]) => {
    const bytes = Buffer.from(isStream ? events(said, size, lineEnd) : JSON.stringify(document(said)));
    const type = isStream ? 'text/event-stream; charset=utf-8' : 'application/json';
    return { said, bytes, reply: { status: 200, type, pieces: inPieces(bytes, piece) } };
  });

describe('a reply', () => {
  it('gives exactly the text, the reason and the usage that were sent', async () => {
    await fc.assert(
      fc.asyncProperty(written, async ({ said, reply }) => {
        const answer = await ask(reply);
        if (answer instanceof DomainFailure) throw answer;
        expect(answer.text).toBe(said.text);
        expect(answer.finishReason).toBe(said.finish);
        expect(answer.usage).toEqual(
          said.usage === undefined
            ? null
            : {
                inputTokens: said.usage.prompt_tokens,
                cachedInputTokens: 0,
                outputTokens: said.usage.completion_tokens,
              },
        );
      }),
      { numRuns: 150 },
    );
  });

  it('with bytes changed, cut or added is an answer or a failure with its billing', async () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
      text.map((each) => Buffer.from(each)),
    );
    const broken = fc.tuple(written, fc.nat(), fc.nat(40), noise, fc.constantFrom(200, 200, 200, 400, 429, 500, 302));
    await fc.assert(
      fc.asyncProperty(broken, async ([{ bytes, reply }, at, length, put, status]) => {
        const from = at % (bytes.length + 1);
        const changed = Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + length)]);
        const end = await ask({ ...reply, status, pieces: [changed] });
        if (end instanceof DomainFailure) {
          expect(end.message.length).toBeLessThan(2_000);
          if (status >= 400) expect(end.billing).toBe('none');
        } else expect(typeof end.text).toBe('string');
      }),
      { numRuns: 250 },
    );
  });

  it('that is cut before its end is never an answer', async () => {
    await fc.assert(
      fc.asyncProperty(written, fc.nat(), async ({ bytes, reply }, at) => {
        const lastNeeded = bytes.lastIndexOf('finish_reason":"');
        const end = await ask({ ...reply, pieces: [bytes.subarray(0, at % Math.max(1, lastNeeded))] });
        expect(end).toBeInstanceOf(DomainFailure);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a reply without end', () => {
  const chunk = Buffer.from(
    `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(1_000_000) } }] })}\n\n`,
  );

  it.each([
    ['of events', () => Array.from({ length: 100 }, () => chunk)],
    ['in one event', () => [Buffer.from('data: '), ...Array.from({ length: 100 }, () => Buffer.alloc(1_000_000, 'y'))]],
  ])('%s ends at a limit, as an answer nobody can use', async (_, pieces) => {
    const end = await ask({ status: 200, type: 'text/event-stream', pieces: pieces() });
    expect(end).toMatchObject({ type: 'model.bad-answer', billing: 'ambiguous' });
    expect((end as DomainFailure).message).toMatch(/said too much: .*longer than/);
  });

  it.each([200, 400, 500])('in one document with status %i ends at a limit', async (status) => {
    const pieces = [
      Buffer.from('{"error":{"message":"'),
      ...Array.from({ length: 100 }, () => Buffer.alloc(1_000_000, 'z')),
    ];
    const end = await ask({ status, type: 'application/json', pieces });
    expect(end).toMatchObject(status === 200 ? { type: 'model.bad-answer' } : { billing: 'none' });
    expect((end as DomainFailure).message.length).toBeLessThan(2_000);
  });
});
