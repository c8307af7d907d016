/** What the system answers most often to somebody who names a file. */
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'something else is there',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** Whether there was no room left, on the disk or for this user. */
export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException | null | undefined)?.code ?? '');

/** Why a file cannot be read or written, in words; the system's own where there are none of ours. */
export function systemWords(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return WORDS[code] ?? (code || message);
}
