/** One graded item as plan, records and reports need it; its full text is the blob. */
export interface TaskSummary {
  /** `[a-z0-9._-]`, at most 80 characters, unique in its dataset. */
  id: string;
  /** Blob of the task's JSON. */
  sha256: string;
  /** The cluster for statistics: project, tier, paper. */
  group: string;
  /** Category within the group (`requests.cookies`); null where the suite has none. */
  category: string | null;
  /** Tasks with one scope share one candidate per (system, repeat), as those of one project. null = every trial makes its own. */
  candidateScope: string | null;
}

/** A resolved dataset selection: what a campaign is pinned to. */
export interface DatasetSelection {
  suite: string;
  /** Of the dataset; absent for the one that `fetch` brings where nothing is said. */
  version?: string;
  /** `<suite>@<version>` and what was selected, for people: `suite@1 requests (30 of 124)`. */
  label: string;
  /** sha-256 over the sorted (id, sha256) pairs. */
  digest: string;
  tasks: TaskSummary[];
}
