import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { parsedJson } from '../domain/text/parsed-json.js';
import { rulesSchema, type ModelRulesInput } from './model-rules.js';
import { createProviderLimits } from './provider-limits.js';
import { createRuleMatcher, type ChosenRule } from './rule-matching.js';
import { createScriptedBatches, type BatchReply, type ScriptedBatches, type SeenBatch } from './scripted-batches.js';
import { answerOf, completionDocument, type CompletionRequest, type ScriptedAnswer } from './scripted-completion.js';
import { refusedParameter } from './refused-parameter.js';
import { sendDocument, sendError, sendJson, sendReply } from './scripted-reply.js';
import { createStoredCompletions } from './stored-completions.js';
import type { ScriptedPlayer } from '../ports/scripted-player.js';
import type { Suite } from '../suite/suite.js';
import { openPlayer } from './open-player.js';

/** One request the server saw; one line of its log. Never holds a key or a prompt. */
export interface SeenRequest {
  n: number;
  at: string;
  path: string;
  model: string;
  purpose: string | null;
  /** Equal for every send of one logical call. */
  call: string;
  /** How many times this call has been sent, this one included. */
  attempt: number;
  /** null where none matched. */
  rule: string | null;
  status: number;
  stream: boolean;
  /** What the reply was broken by, if it was. */
  fault: string | null;
  authorized: boolean;
  /** What it was sent beside model and messages: caps, sampling, … */
  parameters: Readonly<Record<string, unknown>>;
  promptTokens: number | null;
  outputTokens: number | null;
}

/** A running server. */
export interface ScriptedModelServer {
  /** Base URL for campaign files, ending in /v1. */
  url: string;
  port: number;
  /** Everything seen so far, oldest first. */
  requests: readonly SeenRequest[];
  /** Ids of completions it was asked to give out again, and whether it could. */
  lookUps: readonly { id: string; isFound: boolean }[];
  /** Batches that were created, the oldest first. */
  batches(): readonly SeenBatch[];
  /** Ends open batches, whatever the rules say of their time. */
  endBatches(): void;
  /** Answers everything with 503 until told otherwise: an outage as long as a test wants. */
  setAway(isAway: boolean): void;
  close(): Promise<void>;
}

/** How a server is started. */
export interface ScriptedModelOptions {
  rules: ModelRulesInput;
  /** 0 or absent: a free one. */
  port?: number;
  host?: string;
  /** The key it asks for; whoever brings another one gets a 401 that repeats it, as some endpoints do. Absent: it takes any. */
  key?: string;
  /** Whose players `suite` of the rules may name; those of Durabench where absent. */
  suites?: () => Promise<readonly Suite[]>;
  /** Called for each request with what it asks, before its reply is sent; the reply waits for the promise. */
  onRequest?: (request: SeenRequest, messages: CompletionRequest['messages']) => void | Promise<void>;
  /** Called for each batch that was created, before its creator is told; the reply waits for the promise. */
  onBatch?: () => Promise<void>;
}

/** A text, parts of one, or nothing beside calls of tools. */
const contentSchema = z
  .union([z.string(), z.array(z.looseObject({ text: z.string().optional() })), z.null()])
  .optional()
  .transform((content) => (Array.isArray(content) ? content.map(({ text }) => text ?? '').join('') : (content ?? '')));

const bodySchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: contentSchema })).min(1),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }).optional() })).nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});

/**
 * An OpenAI-compatible endpoint that answers from rules, over real HTTP. Deterministic: the same requests in the same
 * order get the same replies. Ships with Durabench; tests and quickstart talk to it as to any provider.
 */
export async function startScriptedModelServer(options: ScriptedModelOptions): Promise<ScriptedModelServer> {
  const rules = rulesSchema.parse(options.rules);
  const matcher = createRuleMatcher(rules);
  const player = await openPlayer(rules, options.suites);
  const limits = createProviderLimits(rules, () => performance.now());
  const requests: SeenRequest[] = [];
  const lookUps: { id: string; isFound: boolean }[] = [];
  const attempts = new Map<string, number>();
  const stored = createStoredCompletions(() => performance.now());

  function lookUp(id: string, response: ServerResponse): void {
    const document = stored.find(id);
    lookUps.push({ id, isFound: document !== undefined });
    if (document !== undefined) return sendDocument(response, 200, document);
    sendError(response, 404, { message: `Completion ${id} is not kept here.` });
  }

  async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const reply = await considered(body, {
      path: request.url ?? '',
      purpose: headerText(request, 'x-durabench-purpose'),
      call: headerText(request, 'x-durabench-call') ?? createHash('sha256').update(body).digest('hex').slice(0, 32),
      authorized: request.headers.authorization !== undefined,
      admit: (n, tokens) => limits.admit({ n, tokens }),
    });
    if (!reply) return sendError(response, 400, { message: 'The body is not a chat completion request.' });
    const { n, parsed, chosen, answer, refusal, admission } = reply;
    for (const [name, value] of Object.entries(admission.headers)) response.setHeader(name, value);
    if (!admission.admitted)
      return sendError(response, admission.status, {
        message: `Refused by the ${admission.by} of the scripted model.`,
      });
    if (refusal !== null) return sendError(response, 400, refusal);
    if ('unmatched' in chosen || answer === null) return sendError(response, 404, unmatched(chosen));
    const answered = { reply: repeatingKey(chosen.reply, request), answer: repeatingKey(answer, request) };
    stored.keep(n, parsed, answered);
    await sendReply(n, parsed, answered, response);
  }

  /** A request by the rules, noted among those seen; undefined where it is none. */
  async function considered(
    body: Buffer,
    { admit, ...of }: Pick<SeenRequest, 'path' | 'purpose' | 'call' | 'authorized'> & { admit: Admit },
  ) {
    const parsed = parseBody(body);
    if (!parsed) return undefined;
    const { call, purpose } = of;
    const texts = (...roles: string[]): string[] =>
      parsed.messages.filter(({ role }) => roles.includes(role)).map(({ content }) => content);
    const matched = matcher.choose({
      purpose,
      call,
      model: parsed.model,
      // OpenAI's newer name for what the system says; some clients send no other.
      system: texts('system', 'developer').join('\n'),
      lastSaid: texts('user', 'tool').at(-1) ?? '',
      turn: texts('assistant').length + 1,
      tools: parsed.tools,
    });
    const chosen = played(matched, parsed, player);
    attempts.set(call, (attempts.get(call) ?? 0) + 1);
    const n = requests.length + 1;
    const refusal = refusedParameter(parsed.parameters, rules.endpoint);
    const answer = 'unmatched' in chosen ? null : answerOf(chosen, parsed, rules.endpoint);
    const described = refusal === null ? describeReply(chosen, answer) : refused({ by: 'endpoint', status: 400 });
    const admission = admit(n, (described.promptTokens ?? 0) + (described.outputTokens ?? 0));
    const seen: SeenRequest = {
      n,
      at: new Date().toISOString(),
      ...of,
      model: parsed.model,
      attempt: attempts.get(call) ?? 1,
      stream: parsed.stream,
      parameters: parsed.parameters,
      ...(admission.admitted ? described : refused(admission)),
    };
    requests.push(seen);
    await options.onRequest?.(seen, parsed.messages);
    return { n, parsed, chosen, answer, refusal, admission };
  }

  /** The same for a request of a batch, which no limit of the provider counts. */
  async function answeredInBatch(call: string, body: Buffer): Promise<BatchReply> {
    const admit: Admit = () => ({ admitted: true, headers: {} });
    const reply = await considered(body, { path: '/v1/batches', purpose: null, call, authorized: true, admit });
    if (!reply) return { status: 400, body: { error: { message: 'It is not a chat completion request.' } } };
    const { n, parsed, chosen, answer, refusal } = reply;
    if (refusal !== null) return { status: 400, body: { error: refusal } };
    if ('unmatched' in chosen || answer === null) return { status: 404, body: { error: unmatched(chosen) } };
    const { status, error, cut } = chosen.reply;
    if (cut !== undefined) return null;
    if (status !== undefined) return { status, body: { error: error ?? { message: `Scripted status ${status}.` } } };
    return { status: 200, body: jsonOr(completionDocument(n, parsed, chosen.reply, answer)) };
  }

  const batches = createScriptedBatches({
    ...{ rules: rules.batches, answer: answeredInBatch, readBody },
    created: async () => options.onBatch?.(),
    now: () => performance.now(),
  });

  const server = createServer((request, response) => {
    if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`)
      return sendError(response, 401, { message: `Wrong key: ${request.headers.authorization ?? 'none'}` });
    route(request, response, { models: rules.models, complete, lookUp, batches }).catch((error: unknown) => {
      if (!response.headersSent) sendError(response, 500, { message: String(error) });
      else response.destroy();
    });
  });
  // A client's pooled connection must not be closed under its next request: that would read as a cut reply.
  server.keepAliveTimeout = 60_000;
  const { port } = await listen(server, options.port ?? 0, options.host ?? '127.0.0.1');
  return {
    url: `http://${hostInUrl(options.host ?? '127.0.0.1')}:${port}/v1`,
    port,
    requests,
    lookUps,
    batches: () => batches.seen(),
    endBatches: () => batches.endNow(),
    setAway: (isAway) => limits.setAway(isAway),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  served: {
    models: string[];
    complete: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    lookUp: (id: string, response: ServerResponse) => void;
    batches: ScriptedBatches;
  },
): Promise<void> {
  const path = (request.url ?? '').replace(/\?.*$/, '').replace(/^\/v1(?=\/)/, '');
  if (request.method === 'POST' && path === '/chat/completions') return served.complete(request, response);
  const [, kept] = /^\/chat\/completions\/([^/]+)$/.exec(path) ?? [];
  if (request.method === 'GET' && kept !== undefined) return served.lookUp(decodeURIComponent(kept), response);
  if (request.method === 'GET' && path === '/models') {
    const data = served.models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'durabench' }));
    return sendJson(response, 200, { object: 'list', data });
  }
  if (await served.batches.serve(request, response, path)) return;
  sendError(response, 404, {
    message: `${request.method ?? ''} ${request.url ?? ''} is not served here; known: POST /v1/chat/completions, GET /v1/chat/completions/ID, GET /v1/models, and /v1/files and /v1/batches of the Batch API.`,
  });
}

type Admit = (n: number, tokens: number) => ReturnType<ReturnType<typeof createProviderLimits>['admit']>;

/** An error that says which rule came nearest. */
const unmatched = (chosen: ChosenRule | { unmatched: string }): { message: string; code: string } => ({
  message: `No rule of the scripted model matches. ${'unmatched' in chosen ? chosen.unmatched : ''}`,
  code: 'no_rule',
});

/** A malformed reply is a text in the file of a batch. */
function jsonOr(text: string): unknown {
  const value = parsedJson(text);
  return value === undefined ? text : value;
}

/** A rule that has the player answer gets what the player says. */
function played<Chosen extends ChosenRule | { unmatched: string }>(
  chosen: Chosen,
  { messages }: CompletionRequest,
  player: ScriptedPlayer | null,
): Chosen {
  if ('unmatched' in chosen || chosen.reply.plays === undefined || player === null) return chosen;
  return { ...chosen, reply: { ...chosen.reply, answer: player.answer(messages, chosen.reply.plays) } };
}

/** What the log says of a request that the provider's limits, an outage, its share of errors or the endpoint's manners refused. */
function refused({ by, status }: { by: string; status: number }): ReturnType<typeof describeReply> {
  return { rule: by, status, fault: null, promptTokens: null, outputTokens: null };
}

/** What the log says of a reply. */
function describeReply(
  chosen: ChosenRule | { unmatched: string },
  answer: ScriptedAnswer | null,
): Pick<SeenRequest, 'rule' | 'status' | 'fault' | 'promptTokens' | 'outputTokens'> {
  if ('unmatched' in chosen) return { rule: null, status: 404, fault: null, promptTokens: null, outputTokens: null };
  const { reply: scripted, name } = chosen;
  const usage = scripted.status === undefined ? answer?.usage : null;
  const count = (claimed: number | string | null | undefined): number | null =>
    typeof claimed === 'number' ? claimed : null;
  return {
    rule: name,
    status: scripted.status ?? 200,
    fault: scripted.cut !== undefined ? 'cut' : (scripted.malformed ?? null),
    promptTokens: count(usage?.prompt_tokens),
    outputTokens: count(usage?.completion_tokens),
  };
}

/** `{{authorization}}` in a text of a rule is what the request brought: plays endpoints that repeat the key. */
function repeatingKey<Said extends object>(said: Said, request: IncomingMessage): Said {
  const texts = JSON.stringify(said);
  if (!texts.includes('{{authorization}}')) return said;
  return JSON.parse(texts.replaceAll('{{authorization}}', request.headers.authorization ?? '')) as Said;
}

function parseBody(body: Buffer): CompletionRequest | undefined {
  try {
    const { model, messages, ...parameters } = bodySchema.parse(JSON.parse(body.toString('utf8')));
    const { stream, stream_options, store } = parameters;
    const includeUsage = stream_options?.include_usage ?? false;
    const tools = (parameters.tools ?? []).flatMap((tool) => tool.function?.name ?? []);
    return { model, messages, tools, stream: stream ?? false, includeUsage, store: store ?? false, parameters };
  } catch {
    return undefined;
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function headerText(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' ? value : null;
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
