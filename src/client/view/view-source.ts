import type { Readable } from 'node:stream';
import type { EvidenceRef } from '../../contract/evidence.js';
import type { OwnerRef } from '../../contract/stage.js';
import { UserError } from '../../domain/failure/user-error.js';
import type { CampaignOutline, CampaignRow, GenerationRow, TrialChoice, TrialRow } from '../../ports/records.js';
import type { KnownSuite } from '../../suite/registry.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import { campaignState, type CampaignState } from '../inspect/campaign-state.js';
import { generationDetail, type GenerationDetail } from '../inspect/generation-detail.js';
import { stepDiffs, trialDetail, type StepDiff, type TrialDetail } from '../inspect/trial-detail.js';
import { callTexts, type CallTexts } from './call-texts.js';
import { headOf, isText, type TextHead } from './text-head.js';

/** A part of a list. */
export interface ListPart {
  offset: number;
  limit: number;
}

/** A campaign by its plan alone, with its suite's own columns. */
export type ViewedOutline = CampaignOutline & { columns: KnownSuite['resultColumns'] };

/** Evidence with the beginning of its text; null where it is none, or is kept no more. */
export interface ViewedEvidence {
  evidence: EvidenceRef;
  head: TextHead | null;
}

/** A trial with everything that is shown of it but its model calls. */
export interface ViewedTrial {
  detail: TrialDetail;
  outline: ViewedOutline;
  diffs: StepDiff[];
  /** What its steps and failed attempts have left, by hash. */
  evidence: Map<string, ViewedEvidence>;
  /** The making of its candidate; null where it makes its own. */
  generation: string | null;
  /** All trials of its task, itself among them. */
  siblings: TrialRow[];
}

/** What pages show, read anew each time; never changes anything. Ids are whole. */
export interface ViewSource {
  campaigns(part: { limit: number; tag?: string | undefined }): Promise<CampaignRow[]>;
  outline(campaign: string): Promise<ViewedOutline>;
  state(campaign: string): Promise<CampaignState>;
  trials(campaign: string, choice: TrialChoice, part: ListPart): Promise<{ trials: TrialRow[]; total: number }>;
  neighbours(trial: string, choice: TrialChoice): Promise<{ previous: string | null; next: string | null }>;
  /** @throws UserError for one that there is not */
  trial(trial: string): Promise<ViewedTrial>;
  /** Trials of one task; those of some systems only where any are named. */
  task(campaign: string, task: string, systems?: readonly string[]): Promise<ViewedTrial[]>;
  /** Shared candidates and their making, in plan order. */
  generations(campaign: string): Promise<GenerationRow[]>;
  generation(generation: string): Promise<GenerationDetail>;
  calls(owner: OwnerRef, part: ListPart): Promise<{ calls: CallTexts[]; total: number }>;
  /** Evidence of a trial or generation, or what was said in its model calls, whole. @throws UserError for a hash that is none of its own */
  evidence(owner: OwnerRef, sha256: string): Promise<{ ref: EvidenceRef; isText: boolean; bytes: Readable }>;
}

/** Evidence of a trial whose text is read; of more only names are shown. */
const MOST_READ = 60;
/** Columns of a task beside each other. */
const MOST_BESIDE = 12;

/** Reads from an open connection. */
export function viewSource(context: Context, connection: Connection): ViewSource {
  const { records, blobs, suiteNamed } = connection;
  const outline = async (campaign: string): Promise<ViewedOutline> => {
    const own = await records.campaignOutline(campaign);
    return { ...own, columns: (await suiteNamed(own.suite)).resultColumns };
  };
  const checkThere = async ({ kind, id }: OwnerRef): Promise<void> => {
    const [campaign = ''] = id.split('/');
    const isThere =
      kind === 'trial'
        ? (await records.generationOfTrial(id)) !== undefined
        : (await records.generations(campaign)).some((each) => each.id === id);
    if (!isThere)
      throw new UserError('usage', { message: `there is no ${kind} ${id}`, fix: `durabench show ${campaign}` });
  };
  const trial = async (id: string): Promise<ViewedTrial> => {
    await checkThere({ kind: 'trial', id });
    const detail = await trialDetail(connection, id);
    const { campaignId, taskId } = detail.trial;
    const [own, diffs, evidence, generation, siblings] = await Promise.all([
      outline(campaignId),
      stepDiffs(connection, detail.steps),
      readEvidence(connection, detail),
      records.generationOfTrial(id),
      records.taskTrials(campaignId, taskId),
    ]);
    return { detail, outline: own, diffs, evidence, generation: generation ?? null, siblings };
  };
  return {
    campaigns: ({ limit, tag }) => records.listCampaigns(limit, tag),
    outline,
    state: (campaign) => campaignState(context, connection, campaign),
    trials: (campaign, choice, part) => records.trialList(campaign, choice, part),
    neighbours: (id, choice) => records.trialNeighbours(id, choice),
    trial,
    task: async (campaign, task, systems) => {
      const all = await records.taskTrials(campaign, task);
      const wanted = all.filter(({ systemId }) => systems === undefined || systems.includes(systemId));
      const trials: ViewedTrial[] = [];
      for (const { id } of wanted.slice(0, MOST_BESIDE)) trials.push(await trial(id));
      return trials;
    },
    generations: (campaign) => records.generations(campaign),
    generation: async (id) => {
      await checkThere({ kind: 'generation', id });
      return generationDetail(connection, id);
    },
    calls: async (owner, part) => {
      const { calls, total } = await records.calls(owner, part);
      return { calls: await Promise.all(calls.map((call) => callTexts(blobs, call))), total };
    },
    evidence: async (owner, sha256) => {
      await checkThere(owner);
      const ref = (await evidenceRefs(connection, owner)).find((each) => each.sha256 === sha256);
      if (ref === undefined || !(await blobs.has(sha256)))
        throw new UserError('usage', {
          message: `${owner.id} has no evidence ${sha256.slice(0, 12)}, or it is kept no more`,
          fix: `durabench logs ${owner.id}`,
        });
      return { ref, isText: isText(ref), bytes: await blobs.open(sha256) };
    },
  };
}

type Left = Pick<TrialDetail, 'steps' | 'attempts'>;

const leftBy = ({ steps, attempts }: Left): EvidenceRef[] => [
  ...steps.flatMap(({ evidence }) => evidence),
  ...attempts.flatMap(({ evidence }) => evidence ?? []),
];

/** Prompts and answers stand with their calls. */
async function readEvidence({ blobs }: Connection, detail: Left): Promise<Map<string, ViewedEvidence>> {
  const refs = new Map(leftBy(detail).map((ref) => [ref.sha256, ref]));
  const entries = [...refs.values()].map(async (evidence, index): Promise<[string, ViewedEvidence]> => {
    const isRead = index < MOST_READ && !/^(?:prompt|completion)-/.test(evidence.name);
    return [evidence.sha256, { evidence, head: isRead ? await headOf(blobs, evidence) : null }];
  });
  return new Map(await Promise.all(entries));
}

async function evidenceRefs({ records }: Connection, owner: OwnerRef): Promise<EvidenceRef[]> {
  const left = owner.kind === 'trial' ? await records.trial(owner.id) : await records.generation(owner.id);
  const { calls } = await records.calls(owner, { offset: 0, limit: 100_000 });
  return [
    ...leftBy(left),
    ...calls.flatMap(({ request, response }) => [request, ...(response === null ? [] : [response])]),
  ];
}
