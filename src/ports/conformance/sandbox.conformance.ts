import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ContentMount, Sandbox, SandboxResult, SandboxRun } from '../sandbox.js';

/** Commands the suite asks for, as each sandbox knows how to run them. */
export interface SandboxBench {
  image: string;
  /** Copies stdin to stdout. */
  copyStdin: string[];
  /** Ends with 3 after writing `no` to stderr. */
  failWithThree: string[];
  /** Writes `/work/<path>` to stdout. */
  showFile(path: string): string[];
  /** Writes an environment variable to stdout. */
  showVariable(name: string): string[];
  /** Writes so many bytes `x` to stdout. */
  flood(bytes: number): string[];
  /** Writes so many bytes `x` to stderr. */
  floodErrors(bytes: number): string[];
  /** Does nothing for longer than any test. */
  sleep: string[];
  /** Takes more memory than 64 MiB. */
  hog: string[];
  /** Ends with 0 and leaves a process behind. */
  leaveProcess: string[];
  /** Puts a file wherever it can, `/work/<name>` among others, and makes it hard to remove. */
  leaveFile(name: string): string[];
  /** Writes a text to `/work/<path>`, in folders that are there. */
  writeFile(path: string, text: string): string[];
  /** Content nobody else has, with one file. */
  content(name: string, text: string, path: string): Promise<ContentMount>;
  /** Tries to overwrite `<path>/<name>` of the mounted content, then writes what it holds to stdout. */
  changeContent(path: string, name: string): string[];
}

/** What every sandbox does, real or fake. `open` may be called once a test; the sandbox stays open. */
export function sandboxConformance(name: string, open: () => { sandbox: Sandbox; bench: SandboxBench }): void {
  const run = (command: (bench: SandboxBench) => string[], extra: Partial<SandboxRun> = {}): Promise<SandboxResult> => {
    const { sandbox, bench } = open();
    return sandbox.run({
      image: bench.image,
      command: command(bench),
      mounts: [],
      poolKey: 'conformance',
      owner: { campaignId: 'conformance', ownerId: 'conformance' },
      signal: new AbortController().signal,
      ...extra,
    });
  };
  const text = (result: SandboxResult): string => result.stdout.bytes.toString('utf8');

  describe(`${name} is a sandbox`, () => {
    it('gives stdin to the command and its output back', async () => {
      const result = await run((bench) => bench.copyStdin, { stdin: 'first\nsecond\n' });
      expect(result).toMatchObject({ exitCode: 0, timedOut: false, timeLimit: null, outOfMemory: false });
      expect(text(result)).toBe('first\nsecond\n');
      expect(result.stdout).toMatchObject({ truncated: false, totalBytes: 13 });
    });

    it('takes stdin and files of any bytes and a megabyte of them', async () => {
      const bytes = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => index % 251));
      const result = await run((bench) => bench.copyStdin, {
        stdin: bytes,
        files: { 'big/file.bin': bytes },
        limits: { outputBytes: 2_000_000 },
      });
      expect(result.stdout.bytes.equals(bytes)).toBe(true);
    });

    it('reports an exit status as a result, with stderr apart', async () => {
      const result = await run((bench) => bench.failWithThree);
      expect(result).toMatchObject({ exitCode: 3, timedOut: false });
      expect(result.stderr.bytes.toString('utf8').trim()).toBe('no');
      expect(text(result)).toBe('');
    });

    it('puts files into the work folder, for this run only', async () => {
      const shown = await run((bench) => bench.showFile('deep/er/note.txt'), {
        files: { 'deep/er/note.txt': 'hello' },
      });
      expect(text(shown)).toBe('hello');
      const gone = await run((bench) => bench.showFile('deep/er/note.txt'));
      expect(gone.exitCode).not.toBe(0);
    });

    it('brings back what a run was asked to leave, and nothing of what was killed', async () => {
      const files = { 'out/given.txt': 'given' };
      const { taken } = await run((bench) => bench.writeFile('out/made.txt', 'made'), {
        files,
        take: ['out', 'absent'],
      });
      expect(taken?.tooLarge).toBe(false);
      expect(Buffer.from(taken?.files['out/made.txt'] ?? '').toString('utf8')).toBe('made');
      expect((await run((bench) => bench.copyStdin)).taken).toBeNull();
      const killed = await run((bench) => bench.sleep, { limits: { wallSeconds: 0.5 }, take: ['out'] });
      expect(killed.taken).toBeNull();
    });

    it('says which image of an engine of its own is missing', async () => {
      const engine = { images: [{ image: 'no-such-image', names: ['job'] }] };
      const missing = { type: 'sandbox.image-missing', message: expect.stringContaining('no-such-image') as string };
      await expect(run((bench) => bench.copyStdin, { engine })).rejects.toMatchObject(missing);
    });

    it('sets variables, for this run only', async () => {
      expect(text(await run((bench) => bench.showVariable('COLOUR'), { env: { COLOUR: 'red' } })).trim()).toBe('red');
      expect(text(await run((bench) => bench.showVariable('COLOUR'))).trim()).toBe('');
    });

    it('cuts output at the cap, keeping head and tail and marking the cut', async () => {
      const result = await run((bench) => bench.flood(300_000), { limits: { outputBytes: 1_000 } });
      expect(result).toMatchObject({ exitCode: 0, stdout: { truncated: true, totalBytes: 300_000 } });
      expect(text(result)).toMatch(/^x{500}\n\[\.\.\. 299000 bytes cut \.\.\.\]\nx{500}$/);
    });

    it('cuts stderr alike, at the same cap', async () => {
      const { stderr } = await run((bench) => bench.floodErrors(3_000), { limits: { outputBytes: 1_000 } });
      expect(stderr).toMatchObject({ truncated: true, totalBytes: 3_000 });
      expect(stderr.bytes.toString('utf8')).toMatch(/^x{500}\n\[\.\.\. 2000 bytes cut \.\.\.\]\nx{500}$/);
    });

    it('ends a command at the wall limit', async () => {
      const result = await run((bench) => bench.sleep, { limits: { wallSeconds: 0.5 } });
      expect(result).toMatchObject({ exitCode: null, timedOut: true, timeLimit: 'wall', outOfMemory: false });
      expect(text(await run((bench) => bench.copyStdin, { stdin: 'next' }))).toBe('next');
    });

    it('ends a command that takes more memory than it may have', async () => {
      const result = await run((bench) => bench.hog, { limits: { memoryBytes: 64 * 1024 ** 2 } });
      expect(result).toMatchObject({ exitCode: null, outOfMemory: true, timedOut: false, timeLimit: null });
    });

    it('uses a container again for runs of one key, and for no others', async () => {
      const kinds: string[] = [];
      for (const poolKey of ['again', 'again', 'other', null, null])
        kinds.push((await run((bench) => bench.copyStdin, { poolKey })).container);
      expect(kinds).toEqual(['fresh', 'pooled', 'fresh', 'fresh', 'fresh']);
    });

    it('leaves nothing of a run in the folders of the next', async () => {
      const own = { poolKey: 'wiped' };
      expect((await run((bench) => bench.leaveFile('left.txt'), own)).exitCode).toBe(0);
      const next = await run((bench) => bench.showFile('left.txt'), own);
      expect(next.container).toBe('pooled');
      expect(next.exitCode).not.toBe(0);
    });

    it.each<[string, (bench: SandboxBench) => string[], Partial<SandboxRun>]>([
      ['a timeout', (bench) => bench.sleep, { limits: { wallSeconds: 0.5 } }],
      ['running out of memory', (bench) => bench.hog, { limits: { memoryBytes: 64 * 1024 ** 2 } }],
      ['a process left behind', (bench) => bench.leaveProcess, {}],
    ])('replaces the container after %s, before the next run', async (what, command, extra) => {
      const own = { poolKey: `after ${what}`, ...extra };
      await run(command, own);
      expect((await run((bench) => bench.copyStdin, own)).container).toBe('fresh');
      expect((await run((bench) => bench.copyStdin, own)).container).toBe('pooled');
    });

    it('delivers content that no run can change', async () => {
      const mount = await open().bench.content('a.txt', 'as delivered', '/content');
      for (const poolKey of ['reader', 'reader', 'another reader']) {
        const seen = await run((bench) => bench.changeContent('/content', 'a.txt'), { mounts: [mount], poolKey });
        expect(text(seen)).toBe('as delivered');
      }
    });

    it('delivers content as it comes, and refuses a stream of other bytes', async () => {
      const mount = await open().bench.content('b.txt', 'in pieces', '/content');
      const tar = Buffer.from((await mount.load()) as Uint8Array);
      const pieces = (): Buffer[] => [tar.subarray(0, 100), tar.subarray(100, 700), tar.subarray(700)];
      const forged = { ...mount, load: async () => Readable.from([...pieces(), Buffer.alloc(512)]) };
      await expect(run((bench) => bench.copyStdin, { mounts: [forged] })).rejects.toMatchObject({
        type: 'harness.bug',
      });
      const streamed = { ...mount, load: async () => Readable.from(pieces()) };
      const seen = await run((bench) => bench.changeContent('/content', 'b.txt'), { mounts: [streamed] });
      expect(text(seen)).toBe('in pieces');
    });

    it('refuses content whose bytes are not what its hash says', async () => {
      const mount = await open().bench.content('a.txt', 'right', '/content');
      const forged = { ...mount, load: async () => Buffer.from('wrong') };
      await expect(run((bench) => bench.copyStdin, { mounts: [forged] })).rejects.toMatchObject({
        type: 'harness.bug',
      });
    });

    it('tells that it is alive while a command runs', async () => {
      let calls = 0;
      await run((bench) => bench.sleep, { limits: { wallSeconds: 1.5 }, onProgress: () => (calls += 1) });
      expect(calls).toBeGreaterThan(0);
    });

    it('kills at an abort and rejects with its reason, before and during a run', async () => {
      const early = new AbortController();
      early.abort(new Error('too late'));
      await expect(run((bench) => bench.sleep, { signal: early.signal })).rejects.toThrow('too late');
      const control = new AbortController();
      const running = run((bench) => bench.sleep, {
        signal: control.signal,
        onProgress: () => control.abort(new Error('cancelled')),
      });
      await expect(running).rejects.toThrow('cancelled');
    });

    it('names an image that is missing, with the command that builds it', async () => {
      const missing = {
        type: 'sandbox.image-missing',
        message: expect.stringContaining('durabench images build') as string,
      };
      const { sandbox } = open();
      await expect(sandbox.imageDigest('no-such-image')).rejects.toMatchObject(missing);
      await expect(run((bench) => bench.copyStdin, { image: 'no-such-image' })).rejects.toMatchObject(missing);
    });

    it('knows the recipe digest of an image that is there', async () => {
      const { sandbox, bench } = open();
      expect(await sandbox.imageDigest(bench.image)).toMatch(/^[0-9a-f]{64}$/);
    });
  });
}
