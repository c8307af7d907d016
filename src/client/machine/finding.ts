/** One thing looked at. `missing`: campaigns cannot run; `later`: `up` or `quickstart` brings it; `ok`. */
export interface Finding {
  name: string;
  state: 'ok' | 'later' | 'missing';
  detail: string;
  /** The command that fixes it; null where there is nothing to fix. */
  fix: string | null;
  /** What `quickstart --install` brings on Debian and Ubuntu. */
  installable?: 'engine' | 'bootstrapper';
}
