/** Labels on everything this adapter creates; leftovers are found by them, never by a name pattern. */
export const LABEL = {
  /** The process that owns it, under whose name its lease is: `host/pid/start`. */
  instance: 'durabench.lease',
  /** The installation (its database) whose leases say whether that process lives; absent where it has no lease. */
  installation: 'durabench.installation',
  campaign: 'durabench.campaign',
  /** The trial or generation of a container of its own; the pool key of a pooled one. */
  owner: 'durabench.owner',
  slot: 'durabench.slot',
  /** On volumes of content and their marks: the name of the volume with the content. */
  content: 'durabench.content',
  /** Of a volume of content: which of all that had its name it is. Of a mark: which one is whole. */
  volume: 'durabench.volume',
} as const;

/** The labels that say whose something is. `installation`: null for a process without a lease, such as a command. */
export function ownerLabels(instance: string, installation: string | null): Record<string, string> {
  return { [LABEL.instance]: instance, ...(installation === null ? {} : { [LABEL.installation]: installation }) };
}
