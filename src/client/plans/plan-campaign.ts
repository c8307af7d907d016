import { TAG, TAG_WORDS } from '../../config/schema.js';
import type { BudgetSpec } from '../../contract/campaign.js';
import type { CampaignPlan } from '../../contract/plan.js';
import type { Revision } from '../../contract/revision.js';
import { trialCount } from '../../domain/campaign/expand-plan.js';
import { UserError } from '../../domain/failure/user-error.js';
import { chanceToAdopt, detectableEffect, type ExpectedFlips } from '../../domain/statistics/decision.js';
import { tightModels, type TightModel } from '../../domain/limits/reservation-room.js';
import type { Connection } from '../connection.js';
import type { Context } from '../context.js';
import { makePlan } from './make-plan.js';
import type { Narrowing } from './narrowing.js';
import { planRevision } from './plan-revision.js';
import type { CheckedCampaign } from './read-campaign.js';

/** What a campaign is planned with. */
export interface PlanOptions extends Narrowing {
  /** Further tags beside those of the file. */
  tags?: readonly string[] | undefined;
  /** A new id, or one of a campaign that asks the same question. Default: drawn from the name. */
  id?: string | undefined;
  /** The campaign that this one is a revision of; what differs, and what that invalidates, is kept in both. */
  revises?: string | undefined;
  /** Why it is revised, for both records. */
  reason?: string | undefined;
}

/**
 * Turns a checked campaign into its plan, and says what that changes of the campaign it revises. Nothing is started; the
 * candidates of its own are kept as blobs.
 * @throws UserError where the selection holds no task, or the revision asks the same question
 */
export async function planCampaign(
  context: Context,
  connection: Connection,
  campaign: CheckedCampaign,
  { id, revises, reason = 'durabench run --revises', tags = [], ...narrowing }: PlanOptions = {},
): Promise<{ plan: CampaignPlan; revision: Revision | undefined }> {
  const plan = await makePlan(context, withTags(campaign, tags), { blobs: connection.blobs, id, narrowing });
  const revision =
    revises === undefined ? undefined : await planRevision(connection, plan, { wanted: revises, reason });
  return { plan, revision };
}

/** @throws UserError for one that is none */
function withTags(campaign: CheckedCampaign, tags: readonly string[]): CheckedCampaign {
  const wrong = tags.filter((tag) => !TAG.test(tag));
  if (wrong.length > 0)
    throw new UserError('usage', {
      message: `${wrong.map((tag) => `"${tag}"`).join(', ')}: not a tag`,
      expected: TAG_WORDS,
      fix: 'choose such a word',
    });
  if (tags.length === 0) return campaign;
  return { ...campaign, spec: { ...campaign.spec, tags: [...new Set([...(campaign.spec.tags ?? []), ...tags])] } };
}

/** A plan in short. */
export interface PlannedCampaign {
  id: string;
  name: string;
  suite: string;
  /** Its tasks, as reports name them. */
  dataset: string;
  /** Trials and batches in all. */
  trials: number;
  batches: number;
  systems: {
    id: string;
    generator: string;
    /** Keys of `models` in the file, each once. */
    models: string[];
    trials: number;
    /** Shared candidates; 0 where each trial makes its own. */
    candidates: number;
  }[];
  budget: BudgetSpec;
  /** `none`: no model is asked; `free`: all are free. */
  models: 'none' | 'free' | 'priced';
  /** Whether answers of other campaigns are taken over; how many there are is not looked up. */
  reusesAnswers: boolean;
  /** Models of which the budget holds fewer reservations at once than `concurrency.model` asks for. */
  tight: TightModel[];
  /** What it can find as an experiment; null where it is none. */
  experiment: PlannedExperiment | null;
  /** What it changes of the campaign it revises; null where it revises none. */
  revision: Revision | null;
}

/** What an experiment can find on its tasks, before it begins. */
interface PlannedExperiment {
  baseline: string;
  variants: number;
  tasks: number;
  /** As in the file: a share of tasks. */
  smallest_effect: number;
  /** The share of tasks that is taken to change both ways whatever a variant is worth. */
  flips: number;
  /** How likely a variant that passes so much more is adopted. */
  chances: { effect: number; chance: number }[];
  /** The smallest gain that is found in four of five experiments; null where none is. */
  detectable: number | null;
}

/** Of paired results of one model; more of them need more tasks. */
const FLIPS = 0.1;
const EFFECTS = [0, 0.05, 0.1, 0.15, 0.2, 0.3];

function plannedExperiment({ spec, dataset }: CampaignPlan): PlannedExperiment | null {
  if (spec.experiment === undefined) return null;
  const { baseline, smallestEffect } = spec.experiment;
  const [variants, tasks] = [spec.systems.length - 1, dataset.tasks.length];
  const rule = { smallestEffect, variants };
  const flipsOf = (effect: number): ExpectedFlips => ({ gained: effect + FLIPS / 2, lost: FLIPS / 2 });
  return {
    ...{ baseline, variants, tasks, smallest_effect: smallestEffect, flips: FLIPS },
    chances: EFFECTS.map((effect) => ({ effect, chance: chanceToAdopt(tasks, flipsOf(effect), rule) })),
    detectable: detectableEffect(tasks, { flips: FLIPS, chance: 0.8, ...rule }),
  };
}

/** What somebody wants to know of a plan before it is started. */
export function planSummary({
  plan,
  revision = null,
}: {
  plan: CampaignPlan;
  revision?: Revision | null;
}): PlannedCampaign {
  const { spec, dataset } = plan;
  const systems = spec.systems.map((system) => {
    const batches = plan.batches.filter((batch) => batch.trials[0]?.systemId === system.id);
    const models = [...new Set([system.model, ...Object.values(system.purposes)])];
    return {
      id: system.id,
      generator: system.generator,
      models: models.filter((key): key is string => key !== null),
      trials: batches.reduce((sum, batch) => sum + batch.trials.length, 0),
      candidates: batches.filter((batch) => batch.generation !== null).length,
    };
  });
  return {
    ...{ id: plan.id, name: spec.name, suite: spec.suite, dataset: dataset.label },
    ...{ trials: trialCount(plan), batches: plan.batches.length, systems, budget: spec.budget, revision },
    models: modelCosts(plan),
    reusesAnswers: spec.reuseAnswers === true,
    tight: tightModels(spec),
    experiment: plannedExperiment(plan),
  };
}

function modelCosts({ spec }: CampaignPlan): PlannedCampaign['models'] {
  const models = Object.values(spec.models);
  if (models.length === 0) return 'none';
  return models.some(({ price }) => price !== 'free') ? 'priced' : 'free';
}
