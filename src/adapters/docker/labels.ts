/** Labels on everything this adapter creates; leftovers are found by them, never by a name pattern. */
export const LABEL = {
  /** The worker process that owns a container: `host/pid/start`. */
  instance: 'durabench.instance',
  campaign: 'durabench.campaign',
  /** The trial or generation of a container of its own; the pool key of a pooled one. */
  owner: 'durabench.owner',
  slot: 'durabench.slot',
  /** Hash of the content of a volume. */
  content: 'durabench.content',
} as const;
