/** One file of the web, pinned to the byte. */
export interface PinnedFile {
  /** `http:` or `https:`. */
  url: string;
  /** sha-256 of the file, hexadecimal. */
  sha256: string;
  /** It has no more bytes than this: whoever serves more is left. */
  mostBytes: number;
}

/** Where pinned files of the web come from: artifacts and datasets, never code that the harness runs. */
export interface Downloads {
  /**
   * Path of the file, whole and checked; it stays in the cache. What was begun, by whoever was killed meanwhile, is gone on with where
   * the server serves ranges. Fails with `dataset.missing` when it cannot be had, with `dataset.hash-mismatch` when it is
   * another or larger (both in three lines), and with the signal's reason when it is aborted.
   */
  fetch(
    wanted: PinnedFile,
    options?: { signal?: AbortSignal; onProgress?: (line: string) => void },
  ): Promise<{ path: string; bytes: number }>;
}
