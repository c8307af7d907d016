/** Why no way to a package index worked. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  /** sha-256 of what came instead of the pinned file; null when nothing came. */
  readonly mismatch: string | null;

  constructor(ways: { host: string; container: string | null; mismatch: string | null }) {
    const { host, container, mismatch } = ways;
    super(
      mismatch !== null
        ? `the package index serves other bytes (sha-256 ${mismatch})`
        : `pip on the host: ${host}${container === null ? '' : `; pip in a container: ${container}`}`,
    );
    this.mismatch = mismatch;
  }
}
