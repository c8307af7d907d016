import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type Docker from 'dockerode';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import { execState, openExec, waitForEnd, type ExecStream } from '../engine/exec-stream.js';

/** A script of ours in a container, which answers in words that end with a NUL. */
export interface ReaderTalk {
  /**
   * Words until `end`, which is one only where `isPlace` says so of its number: elsewhere a link's target may read so. Null as soon as
   * there are more than `most`.
   */
  words(most: number, isPlace: (index: number) => boolean): Promise<Buffer[] | null>;
  /** A stream into it. */
  write(chunk: Uint8Array | string): Promise<void>;
  /** Paths as it reads them. */
  writePaths(paths: readonly string[]): Promise<void>;
  /** The last paths; its output from here to its end is bytes. */
  bytesOf(paths: readonly string[]): Promise<Readable>;
  /** No more comes; waits until it has ended. @throws DomainFailure `sandbox.lost` where it did not end well */
  end(): Promise<void>;
  /** Lets go of it: its container is to be removed. */
  giveUp(): void;
}

/** For what takes seconds; a container or an engine that hangs never does it. */
const MOST_MS = 600_000;
const NUL = 0;

/** Starts a script in a container as the user of every command. */
export async function startReader(container: Docker.Container, script: string, argument: string): Promise<ReaderTalk> {
  const words: Buffer[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let raw: PassThrough | null = null;
  let [errors, failure]: [string, DomainFailure | null] = ['', null];
  let onWords: () => void = () => undefined;

  const opened: ExecStream = await openExec(
    container,
    { command: ['sh', '-c', script, 'reader', argument], env: {} },
    { stdout: take, stderr: (chunk) => (errors = (errors + chunk.toString('utf8')).slice(-1_000)) },
  );
  const timer = setTimeout(() => opened.input.destroy(), MOST_MS);
  void opened.ended.then(() => {
    clearTimeout(timer);
    failure ??= new DomainFailure(
      'sandbox.lost',
      `a workspace could not be read or restored: ${errors || 'no answer'}`,
    );
    // What came with the end of the connection is on its way through the client's streams.
    setImmediate(() => raw?.end());
    onWords();
  });

  function take(chunk: Buffer): void {
    if (raw !== null) {
      // The client of the engine heeds no back pressure, so its source is held up.
      if (!raw.write(chunk) && !opened.hasEnded()) opened.input.pause();
      return;
    }
    let from = 0;
    for (let at = chunk.indexOf(NUL); at >= 0; at = chunk.indexOf(NUL, from)) {
      const word = chunk.subarray(from, at);
      words.push(rest.length === 0 ? Buffer.from(word) : Buffer.concat([rest, word]));
      rest = Buffer.alloc(0);
      from = at + 1;
    }
    rest = Buffer.concat([rest, chunk.subarray(from)]);
    onWords();
  }

  async function write(chunk: Uint8Array | string): Promise<void> {
    if (opened.hasEnded()) throw failure ?? new DomainFailure('sandbox.lost', 'the reader of a workspace has ended');
    if (!opened.input.write(chunk)) await Promise.race([once(opened.input, 'drain'), opened.ended]);
  }

  async function writePaths(paths: readonly string[]): Promise<void> {
    const list = Buffer.from(paths.map((path) => `./${path}\0`).join(''));
    await write(`${list.length}\n`);
    await write(list);
  }

  return {
    write,
    async words(most, isPlace) {
      let looked = 0;
      for (;;) {
        for (; looked < words.length; looked += 1) {
          if (!isPlace(looked) || words[looked]!.toString('latin1') !== 'end') continue;
          return words.splice(0, looked + 1).slice(0, -1);
        }
        if (words.length > most) return null;
        if (failure !== null) throw failure;
        await new Promise<void>((resolve) => (onWords = resolve));
      }
    },
    writePaths,
    async bytesOf(paths) {
      raw = new PassThrough({ highWaterMark: 1024 * 1024 });
      raw.on('drain', () => opened.input.resume());
      await writePaths(paths);
      opened.input.end();
      return raw;
    },
    async end() {
      opened.input.end();
      await waitForEnd(opened);
      const { exitCode } = await execState(opened.exec);
      if (exitCode !== 0)
        throw failure ?? new DomainFailure('sandbox.lost', `the reader of a workspace ended with ${exitCode}`);
    },
    giveUp: () => {
      clearTimeout(timer);
      opened.input.destroy();
    },
  };
}
