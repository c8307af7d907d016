/** One line of a `.gitignore`, for the paths below its folder. */
interface IgnoreRule {
  folder: string;
  pattern: RegExp;
  isKept: boolean;
}

/** Reads `.gitignore` files, outer folders first: the last rule that fits a path decides, as Git has it (gitignore(5)). */
export function readIgnoreRules(files: readonly { path: string; text: string }[]): IgnoreRule[] {
  return [...files]
    .sort((a, b) => a.path.split('/').length - b.path.split('/').length)
    .flatMap(({ path, text }) => {
      const folder = path.slice(0, -'.gitignore'.length);
      const lines = text.split(/\r?\n/).map((line) => line.trim());
      return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => ruleOf(folder, line));
    });
}

function ruleOf(folder: string, line: string): IgnoreRule {
  const isKept = line.startsWith('!');
  const glob = isKept ? line.slice(1) : line;
  const [bare, isFolder] = [glob.replace(/^\//, '').replace(/\/$/, ''), glob.endsWith('/')];
  const isAnchored = glob.startsWith('/') || bare.includes('/');
  const body = bare.replace(/\*\*\/|\/\*\*|[*?]|\[!?(?:0-9|a-z|A-Z|[\w.])+\]|[.+^${}()|[\]\\]/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '/**') return '/.*';
    if (part === '*') return '[^/]*';
    if (part === '?') return '[^/]';
    return part.length > 1 ? part.replace('[!', '[^') : `\\${part}`;
  });
  return {
    folder,
    isKept,
    pattern: new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${body}${isFolder ? '/.+' : '(?:/.*)?'}$`),
  };
}

/** Whether rules leave a path out. */
export function isIgnored(rules: readonly IgnoreRule[], path: string): boolean {
  const last = rules.findLast(
    ({ folder, pattern }) => path.startsWith(folder) && pattern.test(path.slice(folder.length)),
  );
  return last !== undefined && !last.isKept;
}
