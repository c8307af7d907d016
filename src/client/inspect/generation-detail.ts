import type { Records } from '../../ports/records.js';
import type { Connection } from '../connection.js';
import { generationStatuses, type GenerationStatus } from './generation-status.js';

/** The making of a shared candidate, with its steps and attempts. */
export type GenerationDetail = Awaited<ReturnType<Records['generation']>> & {
  /** What it costs and how far it is; null where its generator does not plan with a graph. */
  status: GenerationStatus | null;
  /** Page of its workflow in the Temporal UI; null where none is known. */
  temporalUi: string | null;
};

/** Reads one generation. @param id whole */
export async function generationDetail(connection: Connection, id: string): Promise<GenerationDetail> {
  const { records, services, names } = connection;
  const { workflowUrl } = await import('../../stack/services.js');
  const detail = await records.generation(id);
  const statuses = await generationStatuses(connection, detail.generation.campaignId);
  return {
    ...detail,
    status: statuses.find((one) => one.id === id) ?? null,
    temporalUi: workflowUrl(services.temporal, names.generation(id)) ?? null,
  };
}
