/** What everything that an operator asks of a campaign is asked with. */
export interface OperatorOptions {
  /** Why, for the record of operator actions. Default: the command that does the same. */
  reason?: string | undefined;
  /** Changes nothing, and only says what would come of it. Default: false. */
  dryRun?: boolean;
}
