import { isDiskFull, systemWords } from './system-words.js';
import { UserError } from './user-error.js';

/** Nothing can be written there, whoever runs the command, or by this user alone. */
const REFUSED = ['EACCES', 'EPERM', 'EISDIR', 'ENOTDIR', 'EEXIST', 'EROFS', 'ENAMETOOLONG'];

/**
 * The error of a place that a user chose, as it is told: any other error stays what it is.
 * @param option by which it was chosen, or the variable
 */
export function unwritable(error: unknown, path: string, option: string): unknown {
  if (isDiskFull(error))
    return new UserError(
      'environment',
      {
        message: `${path} cannot be written: ${systemWords(error)}`,
        expected: 'room for all of it; what was written is gone again',
        fix: `make room, or name a place on another disk with ${option}`,
      },
      { cause: error },
    );
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const isNoFolder = code === 'ENOENT' && ['mkdir', 'mkdtemp'].includes(syscall ?? '');
  if (!isNoFolder && !REFUSED.includes(code)) return error;
  // Node says ENOENT where a folder cannot be made with those above it, whatever the reason.
  const why = isNoFolder && syscall === 'mkdir' ? 'the folder cannot be made' : systemWords(error);
  return new UserError(
    'environment',
    {
      message: `${path} cannot be written: ${why}`,
      expected: 'a place that this user may write to',
      fix: `name another place with ${option}`,
    },
    { cause: error },
  );
}
