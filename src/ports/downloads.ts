/** A file of the web that nobody has pinned yet: for who makes a lock. */
export interface WebFile {
  /** `http:` or `https:`. */
  url: string;
  /** It has no more bytes than this: whoever serves more is left. */
  mostBytes: number;
  /** Its size, where it is known: with fewer bytes it was cut off on its way. */
  bytes?: number;
  /** md5 of the file, hexadecimal, where its publisher says it. */
  md5?: string;
}

/** One file of the web, pinned to the byte. */
export interface PinnedFile extends WebFile {
  /** sha-256 of the file, hexadecimal. */
  sha256: string;
}

/** What all downloads take. */
export interface DownloadOptions {
  signal?: AbortSignal;
  onProgress?: (line: string) => void;
}

/** Where files of the web come from: artifacts and datasets, never code that the harness runs. */
export interface Downloads {
  /**
   * Path of the file, whole and checked; it stays in the cache. What was begun, by whoever was killed meanwhile, is gone on with where
   * the server serves ranges; a server that asks for a pause (`Retry-After`) gets it. Fails with `dataset.missing` when it
   * cannot be had, with `dataset.hash-mismatch` when it is another or larger, with `sandbox.disk-full` when there is no room for it (all in
   * three lines), and with the signal's reason when it is aborted.
   */
  fetch(wanted: PinnedFile, options?: DownloadOptions): Promise<{ path: string; bytes: number }>;
  /** The same for a file that is to be pinned: its sha-256 is what came. It is asked for each time. */
  pin(wanted: WebFile, options?: DownloadOptions): Promise<{ path: string; bytes: number; sha256: string }>;
  /** Most bytes of it that are still to come: 0 for a pinned file of the cache; what was begun is not counted. Asks no server. */
  remaining(wanted: WebFile | PinnedFile): Promise<number>;
  /**
   * What a service answers now, as text of at most 4 MiB, and from where, after all redirects; null where it says that there
   * is nothing (404, 410). Nothing is kept. Fails with `dataset.missing`.
   */
  read(url: string, options?: DownloadOptions): Promise<{ url: string; text: string } | null>;
}
