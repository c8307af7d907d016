import type { BuildWorkflow, BuildWorkflowEnd } from '../../adapters/temporal/dataset-workflow.js';
import type { BuildInput, ProjectProgress } from '../../contract/dataset-build.js';
import { openTemporal } from '../open-temporal.js';
import type { Context } from '../context.js';
import { startingCode } from '../starting-code.js';
import { withConnection, type Connection } from '../connection.js';

/** What commands ask of Temporal about the dataset builds under one workflow id. */
export interface Builds {
  /** False: one runs already. */
  start(input: BuildInput): Promise<boolean>;
  /** The last one; null when there is none. */
  last(): Promise<BuildWorkflow | null>;
  /** A run, asked once and for seconds: undefined where no answer came. */
  look(runId: string): Promise<BuildWorkflow | null | undefined>;
  /** Where it stands, asked once: undefined where no worker answers. */
  progress(runId: string): Promise<ProjectProgress[] | undefined>;
  end(runId: string): Promise<BuildWorkflowEnd>;
  /** False: none runs. */
  cancel(): Promise<boolean>;
}

/**
 * Connects to Temporal for the builds under one workflow id.
 * @throws UserError after a minute
 */
export async function openBuilds(
  context: Context,
  { services, names }: Pick<Connection, 'services' | 'names'>,
  workflowId: string,
): Promise<{ builds: Builds; close: () => Promise<void> }> {
  const workflows = await import('../../adapters/temporal/dataset-workflow.js');
  const { client, patient, once, server, close } = await openTemporal(context, services);
  const code = (): Promise<string> => withConnection(context, ({ records }) => startingCode(context, records, server));
  const builds: Builds = {
    start: (input) => patient(() => workflows.startBuild({ client, names, code }, workflowId, input)),
    last: () => patient(() => workflows.describeBuild(client, workflowId)),
    look: (runId) => once(() => workflows.describeBuild(client, workflowId, runId)),
    progress: (runId) => once(() => workflows.buildProgress(client, workflowId, runId)),
    end: (runId) => patient(() => workflows.endOfBuild(client, workflowId, runId)),
    cancel: () => patient(() => workflows.cancelBuild(client, workflowId)),
  };
  return { builds, close };
}
