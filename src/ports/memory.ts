/** A value as it was made. */
export interface Made<Value> {
  value: Value;
  /** About what it occupies; the bytes it was read from are good enough. */
  bytes: number;
}

/** What a process keeps of what it read or made of stored content; losing it costs time only. */
export interface Memory {
  /**
   * The value of a key that says what it is made of (hashes). Made where it is not there, once for all who ask meanwhile;
   * what fails is not kept. Everybody is handed the same value, so nobody changes it.
   */
  keep<Value extends object>(key: string, make: () => Promise<Made<Value>>): Promise<Value>;
}
