/** One commit of a candidate's history: what it says, and the files as they are after it. */
export interface Commit {
  message: string;
  files: ReadonlyMap<string, string>;
}

/** Who and when: the same for every machine and run. */
const AUTHOR = 'ZeroRepo <zerorepo@durabench.invalid>';
const FIRST_SECOND = 1_700_000_000;

/** The history as a stream for `git fast-import`: one commit a unit, a minute apart, equal bytes for equal commits. */
export function historyStream(commits: readonly Commit[]): string {
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const parts = commits.map(({ message, files }, index) => {
    const who = `${AUTHOR} ${FIRST_SECOND + 60 * index} +0000`;
    const changes = [...files].map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`);
    return `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\n${data(message)}${changes.join('')}\n`;
  });
  return `${parts.join('')}done\n`;
}
