/** What the process ends with; README.md lists it for users. */
export const EXIT = {
  /** Complete, whatever the scores; also after the first Ctrl-C of a watching command. */
  ok: 0,
  /** Usage, configuration or internal error. */
  usage: 1,
  /** The campaign is complete, but trials errored or were not run. */
  errored: 2,
  /** A budget was reached. */
  budget: 3,
  cancelled: 4,
  /** Docker, Postgres, Temporal, an image or a dataset is not ready, or a place cannot be written. */
  environment: 5,
  /** A task that is known to pass fails now (`golden check`). */
  regression: 100,
  /** Ctrl-C where there is nothing to detach from, or a second one. */
  aborted: 130,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
