import type { Advice } from '../../contract/problem.js';

/** What stands beside a message, without keys for what there is not. @param shown how each text is put */
export function adviceOf({ expected, fix }: Advice, shown: (text: string) => string = (text) => text): Advice {
  return {
    ...(expected !== undefined && { expected: shown(expected) }),
    ...(fix !== undefined && { fix: shown(fix) }),
  };
}
