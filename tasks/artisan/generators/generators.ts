import { DomainFailure } from '../../../src/domain/failure/domain-failure.js';
import type { GeneratorTraits } from '../../../src/suite/generation.js';
import type { StageContext } from '../../../src/suite/stage.js';
import { readTarEntries } from '../../../src/suite-kit/tar-entries.js';
import { familyOf } from '../calibration/family-of.js';
import { labelledScript } from '../calibration/labelled-task.js';
import type { ArtisanTask } from '../dataset/artisan-task.js';
import { optionsOf } from '../settings.js';
import { leftScript } from './agent/agent.js';
import { programScript } from './command.js';
import type { MadeScript } from './made-script.js';
import { promptedScript } from './single-prompt.js';

/** One way to make a script. */
export interface ArtisanGenerator extends GeneratorTraits {
  /** Step in which it makes its script, where that needs a queue of its own. */
  step?: 'ask' | 'program';
  make(task: ArtisanTask, context: StageContext): Promise<MadeScript>;
}

const plain = { needsModel: false, needsPath: false, phase: 'grade' } as const;
const asking = { needsModel: true, needsPath: false, purposes: ['generate'], phase: 'generate' } as const;
const authored = (text: string): MadeScript => ({ script: new TextEncoder().encode(text), note: null });

/** Every generator a campaign file may name. */
export const GENERATORS: Readonly<Record<string, ArtisanGenerator>> = {
  reference: {
    ...plain,
    description: 'the script that belongs to the task: the ceiling, passes every task',
    make: async ({ scripts }) => authored(scripts.reference),
  },
  copy: {
    ...plain,
    description: 'a script that prints the right table without computing it (options.copy); must pass nothing',
    make: async ({ scripts }, { system }) =>
      authored(scripts.copies[optionsOf(system).copy] ?? Object.values(scripts.copies)[0] ?? ''),
  },
  derived: {
    ...plain,
    description: 'a script of which it is known how it comes to its table (options.family), for `durabench calibrate`',
    make: derivedScript,
  },
  null: {
    ...plain,
    description: 'no script; must pass nothing',
    make: async () => authored(''),
  },
  snapshot: {
    ...plain,
    needsPath: true,
    description: 'a folder or archive of your own with ID/repro.sh for each task, by path',
    make: snapshotScript,
  },
  'single-prompt': {
    ...asking,
    description: 'asks a model once, with the masked paper and what the artifact holds',
    step: 'ask',
    make: promptedScript,
  },
  agent: {
    ...asking,
    description: 'our own agent: one thought and one command of bash a turn, in a folder that stays',
    limits: { usd: 1, tokens: 2_000_000, total: { usd: null, tokens: null } },
    make: leftScript,
  },
  command: {
    ...asking,
    description: 'a program of your own, in an image with its model behind a door',
    limits: { usd: 1, tokens: 2_000_000, total: { usd: null, tokens: null } },
    step: 'program',
    make: programScript,
  },
};

/** The script that a packed snapshot has for a task. */
async function snapshotScript({ id }: ArtisanTask, { system, blobs }: StageContext): Promise<MadeScript> {
  if (system.snapshot === null) throw new DomainFailure('harness.bug', `system ${system.id} was planned unpacked`);
  const entries = await readTarEntries(await blobs.get(system.snapshot.sha256));
  const found = entries.find(({ name }) => name === `${id}/repro.sh`);
  return found === undefined
    ? { script: new Uint8Array(), note: `the snapshot has no ${id}/repro.sh` }
    : { script: found.content, note: null };
}

/** A labelled script. The task is its family's already: deriving from it once more changes nothing. */
async function derivedScript(task: ArtisanTask, { system, ...place }: StageContext): Promise<MadeScript> {
  const family = familyOf(system);
  if (family === null) throw new DomainFailure('harness.bug', `system ${system.id} was planned without a family`);
  const { script, label } = await labelledScript(task, family, place);
  return { ...authored(script), label };
}
