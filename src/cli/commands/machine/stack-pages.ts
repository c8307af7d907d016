import { childVariables } from '../../../config/env.js';
import { UserError } from '../../../domain/failure/user-error.js';
import type { Session } from '../../session.js';
import { detachedServer, startDetachedServer, stopDetachedServer } from '../../../stack/servers/detached-server.js';

const NAME = 'view';
const USUAL_PORTS = Array.from({ length: 50 }, (_, index) => 8700 + index);

/** Where the pages of a stack are served; null where they are not. */
export function stackPages(stateDir: string): string | null {
  const server = detachedServer(stateDir, NAME);
  return server === undefined ? null : urlOf(server.port);
}

/**
 * Serves the pages of `durabench view` until `durabench down`. Those that are served already are begun anew, so that they
 * are of today's code; they keep their port.
 * @param wanted the port; null for the one they had, 8700, or the next that is free
 */
export async function startStackPages(session: Session, wanted: number | null): Promise<void> {
  const { stateDir, variables } = session.environment();
  const before = detachedServer(stateDir, NAME)?.port;
  await stopStackPages(stateDir);
  const preferred = wanted === null ? [...(before === undefined ? [] : [before]), ...USUAL_PORTS] : [wanted];
  const started = await startDetachedServer({
    ...{ stateDir, packageRoot: session.packageRoot, name: NAME, preferred, of: NAME },
    // One that was asked for is not exchanged for another.
    args: (port) => [NAME, '--port', String(wanted ?? port)],
    variables: childVariables(variables, { DURABENCH_HOME: stateDir }),
  });
  if ('port' in started) return;
  throw new UserError('environment', {
    message: `the pages are not served; the command said last: ${started.said.join(' / ')}`,
    expected: 'a free port of this machine',
    fix: 'durabench up --view for the next free one',
  });
}

/** @returns whether they were served */
export const stopStackPages = (stateDir: string): Promise<boolean> => stopDetachedServer(stateDir, NAME);

const urlOf = (port: number): string => `http://127.0.0.1:${port}/`;
