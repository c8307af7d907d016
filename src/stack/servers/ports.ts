import { createHash } from 'node:crypto';
import { connect, createServer } from 'node:net';

// Below the ephemeral range (32768 and up on Linux): a client that keeps dialling a dead server on an ephemeral port
// can be given that very port as its own end, connect to itself and keep the server out for good.
const FIRST = 20_000;
const COUNT = 12_000;

/** Whether a server could listen on this loopback port now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Whether somebody listens on this loopback port now. */
export function isPortOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const answer = (isOpen: boolean) => (): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', answer(true)).once('error', answer(false));
  });
}

/**
 * A free loopback port: the first free one of `preferred`, else one derived from `seed` (so that a project tends to
 * keep its own). Not reserved: somebody may take it before it is used, and the caller then asks again.
 */
export async function choosePort(request: {
  preferred: readonly number[];
  seed: string;
  /** Ports already promised to somebody else. */
  avoid?: readonly number[];
}): Promise<number> {
  const start = createHash('sha256').update(request.seed).digest().readUInt32BE(0);
  const derived = Array.from({ length: 200 }, (_, step) => FIRST + ((start + step * 7) % COUNT));
  for (const port of [...request.preferred, ...derived]) {
    if (!request.avoid?.includes(port) && (await isPortFree(port))) return port;
  }
  throw new Error(`no free loopback port among ${derived.length} tried`);
}
