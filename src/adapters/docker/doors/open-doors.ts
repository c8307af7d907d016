import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';
import type { Door } from '../../../ports/sandbox.js';
import { openExec, waitForEnd } from '../engine/exec-stream.js';
import { KEEPER_USER } from '../sandbox/container-options.js';
import { createDoorConnection, type DoorConnection } from './door-connection.js';
import { createFrameReader, packFrame, type Frame, type FrameKind } from './frames.js';

/** A moment's work, on a busy machine; a container that hangs never does it. */
const READY_MS = 120_000;
/** As `MOST_CONNECTIONS` of `relay.py`, whom nobody in the container can make say otherwise; held here as well. */
const MOST_CONNECTIONS = 256;

/** Doors that are open. */
export interface OpenDoors {
  /** Breaks off what is connected and ends the relay. */
  close(): Promise<void>;
}

/**
 * Opens the doors of a run in a container that has python3: a relay, under the user of the container's keeper, whom no command can
 * signal, listens on the container's loopback. Where it ends before its time, or sends what it never would, its doors are
 * closed and the run goes on.
 * @throws DomainFailure `sandbox.lost` where the relay does not come up
 */
export async function openDoors(
  container: Docker.Container,
  { doors, packageRoot }: { doors: readonly Door[]; packageRoot: string },
): Promise<OpenDoors> {
  const program = await readFile(join(packageRoot, 'src', 'adapters', 'docker', 'doors', 'relay.py'), 'utf8');
  const command = ['python3', '-c', program, ...doors.map(({ port }) => String(port))];
  const connections = new Map<number, DoorConnection>();
  let [errors, isOver] = ['', false];
  let [onReady, onFailure]: [() => void, () => void] = [() => undefined, () => undefined];
  const ready = new Promise<void>((resolve, reject) => {
    onReady = resolve;
    onFailure = () =>
      reject(new DomainFailure('sandbox.lost', `The doors of a run did not open: ${errors || 'no answer'}`));
  });
  ready.catch(() => undefined);

  const read = createFrameReader(take);
  const opened = await openExec(
    container,
    { command, env: {}, user: KEEPER_USER },
    {
      stdout: (chunk) => {
        if (isOver) return;
        try {
          read(chunk);
        } catch {
          end();
        }
      },
      stderr: (chunk) => (errors = (errors + chunk.toString('utf8')).slice(-500)),
    },
  );
  const timer = setTimeout(() => onFailure(), READY_MS);
  void opened.ended.then(end);

  function take({ kind, connection: number, body }: Frame): void {
    if (kind === 'R') return onReady();
    if (kind === 'O') return enter(number, body);
    connections.get(number)?.take(kind, body);
  }

  function enter(number: number, body: Buffer): void {
    const door = doors.find(({ port }) => body.length === 2 && body.readUInt16BE(0) === port);
    if (door === undefined || connections.has(number) || connections.size >= MOST_CONNECTIONS)
      throw new RangeError('the relay opens a connection that cannot be');
    const connection = createDoorConnection(
      (kind, frameBody) => send(kind, number, frameBody),
      () => connections.delete(number),
    );
    connections.set(number, connection);
    door.serve(connection.stream);
  }

  function send(kind: FrameKind, connection: number, body: Buffer = Buffer.alloc(0)): void {
    if (!isOver) opened.input.write(packFrame({ kind, connection, body }));
  }

  function end(): void {
    isOver = true;
    clearTimeout(timer);
    onFailure();
    for (const { stream } of [...connections.values()]) stream.destroy();
    opened.input.end();
  }

  await ready.catch((error: unknown) => {
    end();
    throw error;
  });
  clearTimeout(timer);
  return {
    async close() {
      end();
      await waitForEnd(opened);
    },
  };
}
