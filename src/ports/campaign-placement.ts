import type { ConcurrencySpec } from '../contract/campaign.js';
import type { JsonObject } from '../contract/json.js';
import type { PolledCode } from '../contract/worker-limits.js';

/** A worker that may still be running a campaign from another server. */
export interface LeaseOwner {
  instance: string;
  host: string;
  pid: number;
  /** It counts as alive until then, if it does not renew its lease. */
  livesUntil: string;
}

/** Where open campaigns run, on which workflow code, and how that changes hands. */
export interface CampaignPlacement {
  /**
   * Says where the campaign will run, before its workflow is started there without a plan: no other server can open it
   * from then on, and whoever runs it on another one is superseded.
   */
  placeCampaign(input: { campaignId: string; server: string; code?: string }): Promise<void>;
  /** What each campaign that is open and not paused may run at once. */
  openConcurrency(): Promise<ConcurrencySpec[]>;
  /** Raises the epoch of an open campaign: whoever runs it writes nothing more. Null: it is closed. */
  supersede(campaignId: string): Promise<number | null>;
  /** Workflow codes that workers of a server poll or have polled, that of the newest worker first. */
  polledCodes(server: string): Promise<PolledCode[]>;
  /** Whether a living worker polls for the workflow code the campaign runs on, on its server. */
  isCodePolled(campaignId: string): Promise<boolean>;
  /** Open campaigns of a server whose workflow code no living worker polls, oldest first. */
  strandedCampaigns(server: string): Promise<{ id: string; suite: string; code: string; epoch: number }[]>;
  /**
   * Supersedes whoever runs the campaign, with an event that names both codes, before its workflow is started anew on
   * this code. False: somebody else was faster (another epoch than the one that was seen), or it is closed.
   */
  takeOver(input: {
    campaignId: string;
    epoch: number;
    code: string;
    author: string;
    reason: string;
  }): Promise<boolean>;
  /** Open campaigns that run on that workflow code of a server, oldest first. */
  campaignsOnCode(server: string, code: string): Promise<{ id: string; epoch: number }[]>;
  /** Campaigns of a server that are to be cancelled and are open, oldest first. */
  cancelledCampaigns(server: string): Promise<string[]>;
  /**
   * Keeps as an event that workflows of a campaign cannot go on, and why; reason null: that they can again. False: that is
   * known of this epoch already, the campaign is in another one, or it is closed.
   */
  noteStuck(input: {
    campaignId: string;
    epoch: number;
    author: string;
    reason: string | null;
    /** More for the event. */
    details: JsonObject;
  }): Promise<boolean>;
  /** A live worker of another server from which the campaign, which is open, was run last; else null. */
  leaseOwner(input: { campaignId: string; server: string }): Promise<LeaseOwner | null>;
}
