/** The most activities of one queue that a worker runs at once, and who says so. */
export interface SlotLimit {
  most: number;
  from: 'operator' | 'machine';
}

/** What a worker can run, as it tells the records. */
export interface WorkerLimits {
  roles: string[];
  machine: { cores: number; memoryBytes: number };
  slots: Record<'light' | 'model' | 'sandbox', SlotLimit>;
}

/** A workflow code that workers of a server poll, or have polled. */
export interface PolledCode {
  /** Digest of the workflow bundle. */
  code: string;
  /** Whether a living worker polls it. */
  isLiving: boolean;
}
