import { afterEach, expect } from 'vitest';
import type { ModelSpec } from '../../contract/campaign.js';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import type { ModelRulesInput } from '../../fakes/model-rules.js';
import {
  startScriptedModelServer,
  type ScriptedModelOptions,
  type ScriptedModelServer,
} from '../../fakes/scripted-model-server.js';
import type { Model, ModelAnswer } from '../model.js';

/** The key behind TEST_KEY, the only variable with a key that an endpoint could take. */
export const KEY = 'sk-test-0123456789abcdef';

/** Variables with keys that no header takes. */
export const UNSENDABLE_KEYS: Readonly<Record<string, string>> = {
  TWO_LINES: 'abcd$1234-first\nSECRETSECONDHALF99',
  TYPOGRAPHIC: '\u201cabcd$1234-quoted\u201d',
};
const KEYS: Readonly<Record<string, string>> = { TEST_KEY: KEY, ...UNSENDABLE_KEYS };

/** An adapter and endpoints to ask with it, over real HTTP. */
export interface ModelBench {
  /** A scripted endpoint; gone after the test. */
  serve: (rules: ModelRulesInput, onRequest?: ScriptedModelOptions['onRequest']) => Promise<ScriptedModelServer>;
  ask: (url: string, spec?: Partial<ModelSpec>, signal?: AbortSignal) => Promise<ModelAnswer>;
  /** Ids of answers that began since the test did. */
  begun: readonly string[];
  retrieve: (url: string, completionId: string, signal?: AbortSignal) => Promise<ModelAnswer | null>;
  /** The failure of what was asked; fails where it answered. */
  failure: (asked: Promise<unknown>) => Promise<DomainFailure>;
}

/** How an adapter is made for its conformance tests. */
export type CreateModel = (readKey: (envName: string) => string | undefined) => Model;

/** A bench for the tests of one file. */
export function createModelBench(create: CreateModel): ModelBench {
  const running: ScriptedModelServer[] = [];
  const begun: string[] = [];
  afterEach(async () => {
    begun.length = 0;
    await Promise.all(running.splice(0).map((server) => server.close()));
  });
  const model = create((envName) => KEYS[envName]);
  return {
    async serve(rules, onRequest) {
      const server = await startScriptedModelServer({ rules, ...(onRequest && { onRequest }) });
      running.push(server);
      return server;
    },
    ask: (url, spec = {}, signal = new AbortController().signal) =>
      model.complete({ ...modelSpec(url), ...spec }, request, signal, {
        label: { purpose: 'vote', call: 'call-1' },
        begun: async (id) => void begun.push(id),
      }),
    begun,
    retrieve: (url, completionId, signal = new AbortController().signal) =>
      model.retrieve({ ...modelSpec(url), stored: true }, completionId, signal),
    async failure(asked) {
      const error: unknown = await asked.then(
        () => new Error('it answered'),
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(DomainFailure);
      // Whatever it is, it says how to fix it.
      expect((error as DomainFailure).problem.fix, (error as DomainFailure).message).toBeDefined();
      return error as DomainFailure;
    },
  };
}

const request = {
  messages: [
    { role: 'system' as const, content: 'You are careful.' },
    { role: 'user' as const, content: 'Answer yes or no.' },
  ],
  maxOutputTokens: 4_000,
  temperature: 0,
  json: false,
};

function modelSpec(baseUrl: string): ModelSpec {
  return {
    name: 'scripted',
    baseUrl,
    apiKeyEnv: 'TEST_KEY',
    price: { input: 1, output: 2 },
    maxOutputTokens: 4_000,
    temperature: 0,
    timeoutSeconds: 300,
  };
}
