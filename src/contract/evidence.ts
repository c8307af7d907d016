/** Bytes a stage left behind, kept in the blob store and referenced by their hash. */
export interface EvidenceRef {
  /** Lower-case hex sha-256 of the stored bytes. */
  sha256: string;
  sizeBytes: number;
  /** For example `application/json`, `text/plain; charset=utf-8`, `application/x-tar`. */
  mediaType: string;
  /** What it is to a reader: `prompt.json`, `pytest.log`. Unique within its step. */
  name: string;
  /** True when the bytes were cut at a cap; the cut is also marked inside the text. */
  truncated: boolean;
}
