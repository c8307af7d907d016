import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DomainFailure } from '../../domain/failure/domain-failure.js';
import type { EmbeddingPaths, EmbeddingReply, EmbeddingRequest } from './embedding-child.js';

/** A child that dies is started again this often for one request; a text that kills it every time is a defect to report. */
const STARTS_PER_REQUEST = 3;

interface Waiter {
  resolve(vectors: Float32Array): void;
  reject(error: Error): void;
}

/** One child process that embeds texts: a long computation or a native crash in there leaves the worker alone. */
export class EmbeddingProcess {
  readonly #paths: EmbeddingPaths;
  readonly #waiting = new Map<number, Waiter>();
  #child: ChildProcess | null = null;
  #nextId = 1;

  constructor(paths: EmbeddingPaths) {
    this.#paths = paths;
  }

  /** Process id of the running child, null when there is none. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** One flat array, in the order of the texts. Fails with `harness.bug` when the child keeps dying or cannot compute. */
  async embed(texts: string[]): Promise<Float32Array> {
    let death: unknown;
    for (let start = 0; start < STARTS_PER_REQUEST; start += 1) {
      try {
        return await this.#request(texts);
      } catch (error) {
        if (!(error instanceof ChildDied)) throw new DomainFailure('harness.bug', `embedding failed: ${String(error)}`);
        death = error;
      }
    }
    throw new DomainFailure('harness.bug', `the embedding process died ${STARTS_PER_REQUEST} times: ${String(death)}`);
  }

  #request(texts: string[]): Promise<Float32Array> {
    return new Promise((resolve, reject) => {
      const child = (this.#child ??= this.#start());
      const request: EmbeddingRequest = { id: this.#nextId++, texts };
      this.#waiting.set(request.id, { resolve, reject });
      hold(child, true);
      // A failed send means the child is going; its exit settles the request.
      child.send(request, () => undefined);
    });
  }

  #start(): ChildProcess {
    const script = import.meta.url.replace(/embedding-process\.(ts|js)$/, 'embedding-child.$1');
    const child = fork(fileURLToPath(script), [JSON.stringify(this.#paths)], {
      serialization: 'advanced',
      execArgv: script.endsWith('.ts') ? ['--import', typescriptLoader()] : [],
      // Nothing of the worker's environment (provider keys) is needed in there.
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let complaint = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk.toString('utf8')).slice(-2000);
    });
    child.on('message', (reply) => this.#settle(reply as EmbeddingReply));
    child.on('error', (error) => this.#lost(child, error.message));
    child.on('exit', (code, signal) => this.#lost(child, `exit ${signal ?? code ?? '?'} ${complaint}`.trim()));
    return child;
  }

  #settle(reply: EmbeddingReply): void {
    const waiter = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0 && this.#child !== null) hold(this.#child, false);
    if ('error' in reply) waiter?.reject(new Error(reply.error));
    else waiter?.resolve(reply.vectors);
  }

  #lost(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = null;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiter of lost) waiter.reject(new ChildDied(how));
  }
}

class ChildDied extends Error {}

/** An idle child must not keep the worker from ending. */
function hold(child: ChildProcess, wanted: boolean): void {
  const stderr = child.stderr as unknown as { ref?: () => void; unref?: () => void } | null;
  for (const handle of [child, child.channel, stderr]) {
    if (wanted) handle?.ref?.();
    else handle?.unref?.();
  }
}

/** Where the sources run uncompiled (tests), the child needs the same loader. */
function typescriptLoader(): string {
  return pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
}
