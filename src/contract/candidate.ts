/** An immutable snapshot a generation produced: an uncompressed, normalised tar in the blob store. */
export interface CandidateRef {
  /** Blob sha-256 of the tar; its identity. */
  sha256: string;
  sizeBytes: number;
  files: number;
  /** `reference` only from built-in generators that hand out the true library (gold); everything else is `generated`. */
  provenance: 'reference' | 'generated';
}
