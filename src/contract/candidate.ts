/** Something a reader must know of a candidate before its score is believed: `vendored`, `unread`, `recorded-constants`. */
export type CandidateFlag = {
  flag: string;
  /** One sentence: what was found, with counts. */
  detail: string;
};

/** What is held against one candidate of a campaign: sums over its trials, and its flags. Verdicts stay as they are. */
export interface CandidateIntegrity {
  systemId: string;
  /** What the candidate is shared by: the project. */
  scope: string;
  repeat: number;
  sha256: string;
  flags: CandidateFlag[];
  /** Trials that failed with `candidate.forged-report`. */
  forgedTrials: number;
  /** Trials that failed with `candidate.vacuous`. */
  vacuousTrials: number;
  /** Trials that failed with `candidate.hidden-copy`. */
  copiedTrials: number;
  /** Trials that had a negative control; the vacuous ones are among them. */
  negativeControls: number;
}

/** An immutable snapshot a generation produced: an uncompressed, normalised tar in the blob store. */
export interface CandidateRef {
  /** Blob sha-256 of the tar; its identity. */
  sha256: string;
  sizeBytes: number;
  files: number;
  /** `reference` only from built-in generators that hand out the reference (gold); everything else is `generated`. */
  provenance: 'reference' | 'generated';
}
