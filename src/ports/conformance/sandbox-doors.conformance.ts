import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Sandbox, SandboxResult, SandboxRun } from '../sandbox.js';

/** Commands that go through a door, or are told to finish, as each sandbox knows how to run them. */
export interface DoorsBench {
  image: string;
  /** Connects to a port of the loopback, sends a text, says that no more comes, and writes what it is answered to stdout. */
  ask(port: number, text: string): string[];
  /** So many connections at once, each of which sends its number; the numbers that come back, one a line, in their order. */
  askAtOnce(port: number, count: number): string[];
  /** Sends so many bytes `x` and writes how many come back. */
  sendMuch(port: number, bytes: number): string[];
  /** Writes a text to `/work/<path>`, then does nothing for longer than any test. */
  writeAndSleep(path: string, text: string): string[];
}

/** What every sandbox with doors does, real or fake. */
export function sandboxDoorsConformance(name: string, open: () => { sandbox: Sandbox; bench: DoorsBench }): void {
  const run = (command: (bench: DoorsBench) => string[], extra: Partial<SandboxRun> = {}): Promise<SandboxResult> => {
    const { sandbox, bench } = open();
    return sandbox.run({
      image: bench.image,
      command: command(bench),
      mounts: [],
      poolKey: null,
      owner: { campaignId: 'doors', ownerId: 'doors' },
      signal: new AbortController().signal,
      ...extra,
    });
  };
  const text = (result: SandboxResult): string => result.stdout.bytes.toString('utf8').trim();
  const echo = (connection: Duplex): void => void connection.pipe(connection);

  describe(`${name} has doors`, () => {
    it('lets a command reach the service behind a port, and no other', async () => {
      const doors = [
        { port: 4010, serve: echo },
        { port: 4011, serve: (connection: Duplex): void => void connection.end('the other') },
      ];
      expect(text(await run((bench) => bench.ask(4010, 'hello'), { doors }))).toBe('hello');
      expect(text(await run((bench) => bench.ask(4011, ''), { doors }))).toBe('the other');
      expect((await run((bench) => bench.ask(4012, 'hello'), { doors })).exitCode).not.toBe(0);
      expect((await run((bench) => bench.ask(4010, 'hello'))).exitCode).not.toBe(0);
    });

    it.each([
      ['two on one port', [4010, 4010], 'two doors on port 4010'],
      ['one on a port that is none', [70_000], 'not 70000'],
      ["one on a port of the system's", [80], 'not 80'],
    ])('refuses %s before anything runs', async (_what, ports, said) => {
      const doors = ports.map((port) => ({ port, serve: echo }));
      const refused = run((bench) => bench.ask(4010, 'hello'), { doors });
      await expect(refused).rejects.toMatchObject({
        type: 'harness.bug',
        message: expect.stringContaining(said) as string,
      });
    });

    it('carries many connections at once', async () => {
      const done = await run((bench) => bench.askAtOnce(4010, 60), { doors: [{ port: 4010, serve: echo }] });
      expect(text(done).split('\n').map(Number)).toEqual(Array.from({ length: 60 }, (_, index) => index));
    });

    it('carries 10 MB both ways', async () => {
      const done = await run((bench) => bench.sendMuch(4010, 10_000_000), { doors: [{ port: 4010, serve: echo }] });
      expect(text(done)).toBe('10000000');
    });

    it('is not held up by a service that reads nothing, or breaks off', async () => {
      const doors = [
        { port: 4010, serve: () => undefined },
        { port: 4011, serve: (connection: Duplex): void => void connection.destroy() },
      ];
      const stuck = await run((bench) => bench.sendMuch(4010, 10_000_000), { doors, limits: { wallSeconds: 4 } });
      expect(stuck.timeLimit).toBe('wall');
      expect(text(await run((bench) => bench.ask(4011, 'hello'), { doors }))).toBe('');
    });

    it('ends a run that is told to finish as one that ended by itself', async () => {
      const finish = new AbortController();
      const done = await run((bench) => bench.writeAndSleep('left.txt', 'so far'), {
        finish: finish.signal,
        take: ['left.txt'],
        onProgress: () => finish.abort(),
      });
      expect(done).toMatchObject({ timedOut: false, outOfMemory: false, exitCode: 143 });
      expect(Buffer.from(done.taken?.files['left.txt'] ?? '').toString('utf8')).toBe('so far');
    });
  });
}
