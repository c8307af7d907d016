/** A value as it was made. */
export interface Made<Value> {
  value: Value;
  /** Bytes of what is made of it later and lives as long as it does; none where absent. What it occupies itself is counted. */
  derivedBytes?: number;
}

/** What a process keeps of what it read or made of stored content; losing it costs time only. */
export interface Memory {
  /**
   * The value of a key that says what it is made of (hashes). Made where it is not there, once for all who ask meanwhile;
   * what fails is not kept. Everybody is handed the same value, so nobody changes it.
   */
  keep<Value extends object>(key: string, make: () => Promise<Made<Value>>): Promise<Value>;
}
