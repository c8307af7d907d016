/** One thing looked at. `missing`: campaigns cannot run; `later`: `up` or `quickstart` brings it; `ok`. */
export interface Finding {
  name: string;
  state: 'ok' | 'later' | 'missing';
  detail: string;
  /** The command that mends it; null when there is nothing to mend. */
  mend: string | null;
}
