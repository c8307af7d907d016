/** A script as it was made, with what people should know of its making. */
export interface MadeScript {
  script: Uint8Array;
  note: string | null;
  /** Of an agent. */
  turns?: number;
}
