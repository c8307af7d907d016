import { describe, expect, it } from 'vitest';
import type { WorkspaceRef } from '../../contract/sandbox-result.js';
import type { Sandbox, SandboxResult, SandboxRun } from '../sandbox.js';

/** Commands that change `/work`, as each sandbox knows how to run them. */
export interface WorkspacesBench {
  image: string;
  /** Writes a text to a file, in folders that are there or not. */
  write(path: string, text: string): string[];
  /** Writes a file to stdout; ends with another status than 0 where there is none. */
  show(path: string): string[];
  remove(path: string): string[];
  /** Makes so many empty files `0`, `1`, … */
  makeFiles(count: number): string[];
  /** Makes a file with so many bytes. */
  makeBytes(path: string, bytes: number): string[];
  /** Writes a file, then ends with 3. */
  writeAndFail(path: string): string[];
  /** Writes a file, then does nothing for longer than any test. */
  writeAndSleep(path: string): string[];
  /** Does nothing. */
  nothing: string[];
}

/** What every sandbox does with workspaces, real or fake. `another` shares no container with `sandbox`, but its blobs. */
export function sandboxWorkspacesConformance(
  name: string,
  open: () => { sandbox: Sandbox; another: Sandbox; bench: WorkspacesBench },
): void {
  type Command = (bench: WorkspacesBench) => string[];
  const runOn = (sandbox: Sandbox, command: Command, extra: Partial<SandboxRun>): Promise<SandboxResult> => {
    const { bench } = open();
    return sandbox.run({
      image: bench.image,
      command: command(bench),
      mounts: [],
      poolKey: null,
      owner: { campaignId: 'workspaces', ownerId: 'workspaces' },
      signal: new AbortController().signal,
      ...extra,
    });
  };
  const run = (command: Command, extra: Partial<SandboxRun> = {}): Promise<SandboxResult> =>
    runOn(open().sandbox, command, extra);
  const text = (result: SandboxResult): string => result.stdout.bytes.toString('utf8');
  /** Runs commands one after another, each in the workspace the last one left. */
  async function after(commands: Command[], { from = null, on = open().sandbox }: From = {}): Promise<WorkspaceRef> {
    let ref = from;
    for (const command of commands) {
      const { workspace } = await runOn(on, command, { workspace: { from: ref } });
      expect(workspace?.undone).toBeNull();
      ref = workspace!.ref;
    }
    return ref!;
  }
  interface From {
    from?: WorkspaceRef | null;
    on?: Sandbox;
  }

  describe(`${name} keeps workspaces`, () => {
    const first: Command = (bench) => bench.write('kept/one.txt', 'one');
    const second: Command = (bench) => bench.write('two.txt', 'two');

    it('begins a run with what an earlier one left, and with nothing where none is named', async () => {
      const from = await after([first]);
      expect(from).toMatchObject({ bytes: 3 });
      expect(text(await run((bench) => bench.show('kept/one.txt'), { workspace: { from } }))).toBe('one');
      expect((await run((bench) => bench.show('kept/one.txt'), { workspace: { from: null } })).exitCode).not.toBe(0);
      const without = await run((bench) => bench.show('kept/one.txt'));
      expect(without.exitCode).not.toBe(0);
      expect(without.workspace).toBeNull();
    });

    it('gives one digest to all histories of the same commands, on whatever sandbox', async () => {
      const here = await after([first, second]);
      const there = await after([first, second], { on: open().another });
      const moved = await after([second], { from: await after([first]), on: open().another });
      expect([there.digest, moved.digest]).toEqual([here.digest, here.digest]);
      expect((await after([first])).digest).not.toBe(here.digest);
      expect(text(await run((bench) => bench.show('kept/one.txt'), { workspace: { from: moved } }))).toBe('one');
    });

    it('keeps a workspace that nothing changed as it is', async () => {
      const from = await after([first]);
      const { workspace } = await run((bench) => bench.nothing, { workspace: { from } });
      expect(workspace).toEqual({ ref: from, undone: null, stored: [] });
      const restored = await runOn(open().another, (bench) => bench.nothing, { workspace: { from } });
      expect(restored.workspace).toEqual({ ref: from, undone: null, stored: [] });
    });

    it('goes on from any that was left, not only from the last', async () => {
      const from = await after([first]);
      await after([second], { from });
      expect((await run((bench) => bench.show('two.txt'), { workspace: { from } })).exitCode).not.toBe(0);
      expect(text(await run((bench) => bench.show('kept/one.txt'), { workspace: { from } }))).toBe('one');
    });

    it('keeps that a file is gone', async () => {
      const from = await after([first, second, (bench) => bench.remove('kept/one.txt')]);
      for (const on of [open().sandbox, open().another]) {
        const gone = await runOn(on, (bench) => bench.show('kept/one.txt'), { workspace: { from } });
        expect(gone.exitCode).not.toBe(0);
        expect(text(await runOn(on, (bench) => bench.show('two.txt'), { workspace: { from } }))).toBe('two');
      }
    });

    it('puts files on top, and keeps them as what the command left', async () => {
      const from = await after([first]);
      const files = { 'kept/one.txt': 'new', 'given.txt': 'given' };
      const shown = await run((bench) => bench.show('kept/one.txt'), { workspace: { from }, files });
      expect(text(shown)).toBe('new');
      const next = { workspace: { from: shown.workspace!.ref } };
      expect(text(await run((bench) => bench.show('given.txt'), next))).toBe('given');
    });

    it('brings files back as well', async () => {
      const from = await after([first]);
      const { taken } = await run(second, { workspace: { from }, take: ['kept', 'two.txt', 'absent'] });
      expect(Object.keys(taken?.files ?? {}).sort()).toEqual(['kept/one.txt', 'two.txt']);
    });

    it('keeps what a command left that ended with an error', async () => {
      const { workspace, exitCode } = await run((bench) => bench.writeAndFail('left.txt'), {
        workspace: { from: null },
      });
      expect(exitCode).toBe(3);
      expect((await run((bench) => bench.show('left.txt'), { workspace: { from: workspace!.ref } })).exitCode).toBe(0);
    });

    it('undoes what a killed command left', async () => {
      const from = await after([first]);
      const limits = { wallSeconds: 0.5 };
      const { workspace } = await run((bench) => bench.writeAndSleep('half.txt'), { workspace: { from }, limits });
      expect(workspace).toMatchObject({ ref: from, undone: { because: 'killed' }, stored: [] });
      expect((await run((bench) => bench.show('half.txt'), { workspace: { from } })).exitCode).not.toBe(0);
    });

    it.each<['files' | 'bytes' | 'depth', Command, SandboxRun['limits']]>([
      ['files', (bench) => bench.makeFiles(11), { workspaceFiles: 10 }],
      ['bytes', (bench) => bench.makeBytes('large.bin', 70_000), { workspaceBytes: 65_536 }],
      ['depth', (bench) => bench.write('a/b/c/d.txt', 'deep'), { workspaceDepth: 3 }],
    ])('undoes what has too many %s, and says so', async (because, command, limits) => {
      const from = await after([(bench) => bench.write('t', '')]);
      const { workspace, exitCode } = await run(command, { workspace: { from }, limits });
      expect(exitCode).toBe(0);
      expect(workspace).toMatchObject({ ref: from, undone: { because }, stored: [] });
      expect(workspace!.undone!.message).toMatch(/undone: .+\.$/);
      const next = await run((bench) => bench.nothing, { workspace: { from }, limits });
      expect(next.workspace).toMatchObject({ ref: from, undone: null });
    });

    it('names the blob that is missing where a workspace is not there', async () => {
      const from = { digest: '0'.repeat(64), manifest: 'ab'.repeat(32), bytes: 1, files: 1 };
      const missing = { type: 'blobs.missing', message: expect.stringContaining(from.manifest) as string };
      await expect(run((bench) => bench.nothing, { workspace: { from } })).rejects.toMatchObject(missing);
    });
  });
}
