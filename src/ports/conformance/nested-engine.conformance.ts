import { describe, expect, it } from 'vitest';
import type { SandboxLimits } from '../../contract/sandbox-limits.js';
import type { Sandbox, SandboxResult, SandboxRun } from '../sandbox.js';

/** Commands in a container with an engine of its own, as each sandbox knows how to run them. */
export interface EngineBench {
  image: string;
  /** An image for jobs, by recipe name; a second one besides. */
  jobImages: readonly [string, string];
  limits?: Partial<SandboxLimits>;
  /** Writes the names of the engine's images, one a line. */
  listImages: string[];
  /** Runs a job of this image, which writes a text, and gives its status back. */
  runJob(image: string, text: string): string[];
  /** Leaves a container that runs, a network, a volume and an image on the engine. */
  leaveAll: string[];
  /** Writes how many containers, networks, volumes and images there are that the engine did not begin with. */
  countLeft: string[];
  /** A job that does nothing for longer than any test. */
  sleepInJob(image: string): string[];
  /** Whether there is an engine: 0. */
  askEngine: string[];
}

/** What every sandbox with engines in its containers does, real or fake. */
export function nestedEngineConformance(name: string, open: () => { sandbox: Sandbox; bench: EngineBench }): void {
  const run = (command: (bench: EngineBench) => string[], extra: Partial<SandboxRun> = {}): Promise<SandboxResult> => {
    const { sandbox, bench } = open();
    return sandbox.run({
      image: bench.image,
      command: command(bench),
      engine: { images: [{ image: bench.jobImages[0], names: ['job:latest', 'job:1'] }] },
      mounts: [],
      ...(bench.limits && { limits: bench.limits }),
      poolKey: 'engine',
      owner: { campaignId: 'engine', ownerId: 'engine' },
      signal: new AbortController().signal,
      ...extra,
    });
  };
  const text = (result: SandboxResult): string => result.stdout.bytes.toString('utf8').trim();
  const lines = (result: SandboxResult): string[] => text(result).split('\n').sort();

  describe(`${name} has engines in its containers`, () => {
    it('begins with the images it was given, under their names, and runs jobs of them', async () => {
      expect(lines(await run((bench) => bench.listImages))).toEqual(['job:1', 'job:latest']);
      const job = await run((bench) => bench.runJob('job:1', 'from a job'));
      expect({ exitCode: job.exitCode, text: text(job) }).toEqual({ exitCode: 0, text: 'from a job' });
    });

    it('has no other image, and pulls none', async () => {
      expect((await run((bench) => bench.runJob('other:latest', 'no'))).exitCode).not.toBe(0);
    });

    it('is empty again for the next run, in the same container', async () => {
      expect((await run((bench) => bench.leaveAll)).exitCode).toBe(0);
      const next = await run((bench) => bench.countLeft);
      expect([next.container, text(next)]).toEqual(['pooled', '0']);
    });

    it('is not shared by runs that begin with other images', async () => {
      const { jobImages } = open().bench;
      const engine = { images: [{ image: jobImages[1], names: ['another:latest'] }] };
      const other = await run((bench) => bench.listImages, { engine });
      expect([other.container, lines(other)]).toEqual(['fresh', ['another:latest']]);
    });

    it('is not there for a run that asks for none', async () => {
      const { sandbox, bench } = open();
      const owner = { campaignId: 'engine', ownerId: 'engine' };
      const signal = new AbortController().signal;
      const plain = { image: bench.image, command: bench.askEngine, mounts: [], poolKey: 'engine', owner, signal };
      expect((await sandbox.run(plain)).exitCode).not.toBe(0);
      expect((await run((each) => each.askEngine)).exitCode).toBe(0);
    });

    it('is replaced after a run that was killed', async () => {
      const { limits } = open().bench;
      const killed = await run((bench) => bench.sleepInJob('job:latest'), { limits: { ...limits, wallSeconds: 1 } });
      expect(killed).toMatchObject({ timeLimit: 'wall', exitCode: null });
      expect((await run((bench) => bench.askEngine, { limits: { ...limits, wallSeconds: 1000 } })).exitCode).toBe(0);
    });
  });
}
