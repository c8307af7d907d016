import { hostname, userInfo } from 'node:os';

/** Who asks, for the record of operator actions: `user@host`. */
export function actor(): string {
  return `${userName()}@${hostname()}`;
}

/** A container may run under a user id that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
