import type { StatusReport } from '../../src/contract/status.js';
import type { ServiceName } from '../../src/stack/stack-state.js';
import { waitUntil } from '../fixtures/wait-until.js';
import {
  zerorepoSystem,
  type Manners,
  type TextkitCampaign,
  type TextkitProject,
} from '../fixtures/textkit-project.js';
import type { SendRecord } from './campaign-record.js';

/** What is never right, and so blocks split_paragraphs; strip_accents is right after a repair. */
export const NEVER = 'normalize_whitespace';
/** A model under which a generation has units of every end: done, repaired, failed, blocked. */
export const STUMBLING: Manners = {
  stumbling: [
    { match: { contains: '"prompt":"code"' }, plays: { as: 'wrong-code', units: [NEVER, 'strip_accents'] } },
    { match: { contains: '"prompt":"repair"' }, plays: { as: 'wrong-code', units: [NEVER] } },
  ],
};
/** Model calls at once of {@link stumblingCampaign}. */
export const CALLS_AT_ONCE = 4;

/** Generations of the first features, one for each window: so many units at once. */
export const stumblingCampaign = (name: string, features: number, windows: readonly number[]): TextkitCampaign => ({
  name,
  systems: windows.map((window) =>
    zerorepoSystem(`window-${window}`, { iterations: 4, features, mutants: 0, window }, 'stumbling'),
  ),
  concurrency: { batches: windows.length, model: CALLS_AT_ONCE, sandbox: 2 },
});

/** SIGKILL for a service, so many model answers after the last one (or after the beginning). */
export interface Kill {
  service: Extract<ServiceName, 'worker' | 'temporal'>;
  after: number;
}

/** How a campaign of generations got over its kills. */
export interface KilledGenerations {
  id: string;
  kills: Kill[];
  /** Hash of the whole tree, by system. */
  trees: Record<string, string>;
  /** Calls that were sent again although their answer was in the ledger. */
  answeredRepeated: number;
  /** Calls that the provider saw again, and those that the ledger marks as repeated. */
  callsRepeated: number;
  callsMarked: number;
  /** Retries by hand: a call that was lost in two kills is given up, and only the operator has it sent again. */
  retries: number;
  wallSeconds: number;
}

/** Far beyond what a loaded machine needs; a campaign that hangs must end the test. */
const END_MS = 600_000;
const MOST_RETRIES = 5;

/** Runs a campaign and kills on its way, as long as it is not done; nobody helps it up, but for calls that are given up. */
export async function generateUnderKills(
  textkit: TextkitProject,
  campaign: TextkitCampaign,
  kills: Iterable<Kill>,
): Promise<KilledGenerations> {
  const { model, record } = textkit;
  const startedAt = Date.now();
  const { length: before } = model.requests;
  let seen = answers(textkit);
  const id = await textkit.begin(campaign);
  const hasEnded = async (): Promise<boolean> => (await record.status(id)) === 'completed';
  const done: Kill[] = [];
  let retries = 0;
  const isMade = async (): Promise<boolean> => (await record.candidates(id)).length === campaign.systems.length;
  const retry = async (): Promise<void> => {
    if (++retries > MOST_RETRIES) throw new Error(`${id} makes no candidate`);
    await textkit.project.json(['retry', id, '--detach']);
  };
  for (const kill of kills) {
    const isDue = async (): Promise<boolean> => answers(textkit) - seen >= kill.after || hasEnded();
    if (!(await waitUntil(isDue, { timeoutMs: END_MS, intervalMs: 50 }))) throw new Error(`${id} stands still`);
    if (await hasEnded()) {
      if (await isMade()) break;
      await retry();
    }
    await killService(textkit, kill.service);
    seen = answers(textkit);
    done.push(kill);
  }
  for (;;) {
    if (!(await waitUntil(hasEnded, { timeoutMs: END_MS }))) throw new Error(`${id} is ${await record.status(id)}`);
    if (await isMade()) break;
    await retry();
  }
  const { spend } = await textkit.project.json<StatusReport>(['status', id]);
  return {
    id,
    kills: done,
    trees: Object.fromEntries((await record.candidates(id)).map(({ system, sha256 }) => [system, sha256])),
    answeredRepeated: (await record.sends(id)).filter(isNeedless).length,
    callsRepeated: model.requests.slice(before).filter(({ attempt }) => attempt > 1).length,
    callsMarked: spend.repeated_calls,
    retries,
    wallSeconds: (Date.now() - startedAt) / 1000,
  };
}

const answers = ({ model }: TextkitProject): number => model.requests.filter(({ status }) => status === 200).length;

const isNeedless = ({ sentAt, answeredAt }: SendRecord): boolean =>
  sentAt !== null && answeredAt !== null && sentAt > answeredAt;

/** Kills its process; comes back when its supervisor has started it again. */
async function killService(textkit: TextkitProject, service: ServiceName): Promise<void> {
  const { restarts, process: running } = textkit.state().services[service];
  if (running === undefined) throw new Error(`${service} does not run`);
  process.kill(running.pid, 'SIGKILL');
  const isBack = (): boolean => textkit.state().services[service].restarts > restarts;
  if (!(await waitUntil(isBack))) throw new Error(`${service} was not started again`);
}
