import type { Tree } from '../../../../src/suite-kit/packed-files.js';

/** Characters of files a prompt shows whole; about 70,000 tokens. */
const MOST_CHARACTERS = 240_000;

/** A tree as a prompt shows it: files by path, whole as long as there is room, the others by name and size. */
export function shownTree(tree: Tree): string {
  let left = MOST_CHARACTERS;
  const parts = [...tree]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, bytes]) => {
      const text = new TextDecoder().decode(bytes);
      if (text.length > left) return `### ${path}\n\n(${text.split('\n').length} lines, not shown)`;
      left -= text.length;
      return `### ${path}\n\n${fenced(text)}`;
    });
  return parts.length === 0 ? '(It is empty.)' : parts.join('\n\n');
}

/** In a fence longer than any inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/^`{3,}/gm)].map(([fence]) => fence.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}
