import type { QueueBacklog } from '../adapters/temporal/queue-backlog.js';
import type { StuckWorkflow } from '../adapters/temporal/workflow-tree.js';

/** What commands ask of Temporal about campaigns. Every method but `runsNow` waits for a server that is unavailable for a moment. */
export interface Engine {
  /** Id of the namespace: tells this server from every other. */
  server(): Promise<string>;
  /** The workflow code that campaigns are started on: this package's where a living worker has it, else what one has. */
  code(): Promise<string>;
  /** Starts the campaign's workflow, or finds the one that runs already. */
  start(campaignId: string): Promise<void>;
  /** Starts it anew: one that still runs here was superseded by the plan, and is terminated. */
  startAgain(campaignId: string): Promise<void>;
  /** The same where its workflows cannot end by themselves: those below it are terminated as well. */
  restart(campaignId: string, reason: string): Promise<void>;
  /** Terminates all that runs of it. The records are the caller's business. */
  terminate(campaignId: string, reason: string): Promise<void>;
  /** Workflows of it that stand still because their next task fails; asked once: undefined where no answer came. */
  stuck(campaignId: string): Promise<StuckWorkflow[] | undefined>;
  /** Steps of the installation that wait for a place in a worker; asked once: undefined where no answer came. */
  backlogs(): Promise<QueueBacklog[] | undefined>;
  /** Whether a workflow of the campaign runs now. */
  isRunning(campaignId: string): Promise<boolean>;
  /**
   * The same, asked once and for seconds: undefined where no answer came. For those who watch: a connection to a server
   * that was down for a minute may stay silent for minutes more, and the campaign's end must not be missed meanwhile.
   */
  runsNow(campaignId: string): Promise<boolean | undefined>;
  /** Tells a running campaign to look at its desired state at once; does nothing when none runs. */
  wakeUp(campaignId: string): Promise<void>;
  /** Cancels a running campaign's workflow; does nothing when none runs. Set the desired state first. */
  cancel(campaignId: string): Promise<void>;
}
