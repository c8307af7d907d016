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

/** The same, its fix with the command that installs it where there is one. */
export function withInstaller(finding: Finding): Finding {
  if (finding.state !== 'missing' || finding.installable === undefined) return finding;
  const ways = [finding.fix, 'on Debian and Ubuntu: durabench quickstart --install'];
  return { ...finding, fix: ways.filter((way) => way !== null).join('; ') };
}
