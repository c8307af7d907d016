import { join } from 'node:path';
import OpenAI from 'openai';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { createDockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { createFileDownloads } from '../../src/adapters/http/file-downloads.js';
import type { StageContext } from '../../src/suite/stage.js';
import { createPackageIndex } from '../../src/adapters/docker/pip/package-index.js';
import { readEnvironment } from '../../src/config/env.js';
import { PACKAGE_ROOT } from '../../tests/fixtures/package-root.js';

/**
 * What making and searching RepoCraft's candidates needs outside a campaign: the blobs of a state folder in which the tasks
 * were fetched, and a sandbox with the slots of a command's, to be closed.
 */
export function createRepocraftTools({ state, owner }: { state: string; owner: string }) {
  const { cacheDir, variable } = readEnvironment();
  const where = { packageRoot: PACKAGE_ROOT, stateFolder: state };
  return {
    blobs: createFileBlobs({ folder: join(state, 'blobs') }),
    sandbox: createDockerSandbox({ instance: currentInstance(), ...where, slots: 2 }),
    downloads: createFileDownloads({ folder: cacheDir }),
    packages: createPackageIndex({ packageRoot: PACKAGE_ROOT, cacheFolder: cacheDir, variable }),
    suiteFolder: join(PACKAGE_ROOT, 'tasks', 'repocraft'),
    cacheFolder: join(cacheDir, 'datasets', 'repocraft'),
    signal: new AbortController().signal,
    campaign: { id: 'bench' },
    owner: { id: owner },
    heartbeat: () => undefined,
    onProgress: () => undefined,
  };
}

/** A reader who answers by hand takes his time. */
const PATIENCE_MS = 3 * 60 * 60_000;

/** Asks a model over HTTP as a campaign asks, but for the ledger: a bench has none. The key is OPENAI_API_KEY. */
export function askOverHttp(baseURL: string, model: string): StageContext['ask'] {
  const apiKey = process.env.OPENAI_API_KEY ?? 'none';
  const client = new OpenAI({ baseURL, apiKey, timeout: PATIENCE_MS, maxRetries: 0 });
  return async ({ messages, maxOutputTokens }) => {
    const asked = { model, messages: messages as OpenAI.ChatCompletionMessageParam[], max_tokens: maxOutputTokens };
    const answer = await client.chat.completions.create(asked);
    const [choice] = answer.choices;
    return {
      ...{ text: choice?.message.content ?? '', finishReason: choice?.finish_reason ?? '' },
      ...{ usage: null, providerRequestId: answer.id },
    };
  };
}
