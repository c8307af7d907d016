import type { CampaignSpec, ModelSpec } from '../../contract/campaign.js';
import { usedModels } from '../../config/preflight.js';
import type { Context } from '../context.js';
import { serveScriptedModels } from './scripted-models.js';

/**
 * Names of the variables that a campaign's models and those it notifies read secrets from. Those this shell does not have are left out: the
 * worker may have been given them by another.
 */
export function workerNeeds(context: Context, spec: CampaignSpec): string[] {
  const ofModels = modelNeeds(
    context,
    [...usedModels(spec)].flatMap((key) => spec.models[key] ?? []),
  );
  const { variable } = context.environment();
  const told = (spec.notify ?? []).flatMap(({ webhookEnv, authorizationEnv }) => [webhookEnv, authorizationEnv]);
  return [
    ...new Set([
      ...ofModels,
      ...told.filter((name): name is string => name !== undefined && variable(name) !== undefined),
    ]),
  ];
}

/** The same for models alone. */
export function modelNeeds(context: Context, models: readonly ModelSpec[]): string[] {
  const { variable } = context.environment();
  return [...new Set(models.map(({ apiKeyEnv }) => apiKeyEnv))].filter(
    (name): name is string => name !== null && variable(name) !== undefined,
  );
}

/**
 * Has what a campaign asks of this machine before it goes on: its scripted models, and a worker that can run it
 * ({@link refreshWorker}).
 * @returns whether the worker was started again
 */
export async function readyCampaign(context: Context, spec: CampaignSpec): Promise<boolean> {
  await serveScriptedModels(context, spec);
  return refreshWorker(context, workerNeeds(context, spec));
}

/**
 * Starts the worker of this project's stack again where it lacks a variable it needs, runs older code than is built now, or
 * was started with other settings than this command has, and says why; servers and campaigns are not disturbed. What runs
 * on other workflow code the new worker takes over. A worker that runs elsewhere, or is not supervised, is left alone.
 * @returns whether it was started again
 */
export async function refreshWorker(context: Context, needs: readonly string[] = []): Promise<boolean> {
  const { whyWorkerOutdated, startStack } = await import('../../stack/stack.js');
  const options = { environment: context.environment(), needs };
  if (whyWorkerOutdated(options).length === 0) return false;
  await startStack(options, ({ service, text }) => {
    if (service === 'worker') context.notify({ type: 'step', step: service, message: text });
  });
  return true;
}
