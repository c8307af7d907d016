/** A workflow code that workers of a server poll, or have polled. */
export interface PolledCode {
  /** Digest of the workflow bundle. */
  code: string;
  /** Whether a living worker polls it. */
  isLiving: boolean;
}
