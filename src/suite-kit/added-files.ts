/** Files that a patch adds, by path; or why it cannot be read without the files that it changes. */
export type AddedFiles = { files: Map<string, string> } | { reason: string };

/** Whether a text is a patch as `git diff` and `diff -u` write it. */
export const isPatch = (text: string): boolean => /^(diff --git |--- [^\n]*\n\+\+\+ )/.test(text.trimStart());

/** Reads a patch that adds files and does nothing else. */
export function addedFiles(patch: string): AddedFiles {
  const files = new Map<string, string>();
  const lines = patch.replace(/\r\n/g, '\n').split('\n');
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    const changed = /^(?:rename|copy) from (.*)$|^deleted file|^Binary files|^GIT binary patch/.exec(line);
    if (changed !== null) return { reason: `holds more than new files of text ("${line.slice(0, 80)}")` };
    if (!line.startsWith('--- ') || !lines[at + 1]?.startsWith('+++ ')) {
      at += 1;
      continue;
    }
    const [before, after] = [pathIn(line), pathIn(lines[at + 1]!)];
    if (before !== '/dev/null') return { reason: `changes ${before.replace(/^a\//, '')}, which is not at hand` };
    const body = addedLines(lines, at + 2);
    if (body === null) return { reason: `is cut off or damaged at ${after}` };
    files.set(after.replace(/^b\//, ''), body.text);
    at = body.end;
  }
  return files.size === 0 ? { reason: 'adds no file' } : { files };
}

/** Of `--- a/path` or `+++ b/path`, which `diff` follows with a tab and a time. */
const pathIn = (line: string): string => line.slice(4).split('\t')[0]!.trim();

/** The text of the one hunk of a new file, and the line behind it. */
function addedLines(lines: readonly string[], from: number): { text: string; end: number } | null {
  const [, first, count = first === '0' ? '0' : '1'] = /^@@ -0,0 \+(\d+)(?:,(\d+))? @@/.exec(lines[from] ?? '') ?? [];
  if (first === undefined) return null;
  const end = from + 1 + Number(count);
  const added = lines.slice(from + 1, end);
  if (added.length < Number(count) || added.some((line) => !line.startsWith('+'))) return null;
  const isOpen = lines[end]?.startsWith('\\ No newline') === true;
  return { text: added.map((line) => line.slice(1)).join('\n') + (isOpen ? '' : '\n'), end: isOpen ? end + 1 : end };
}
