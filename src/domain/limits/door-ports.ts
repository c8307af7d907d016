import { DomainFailure } from '../failure/domain-failure.js';

/** Lower ones are the system's; what listens in a container is an ordinary user. */
const [LEAST_PORT, MOST_PORT] = [1024, 65_535];

/**
 * Refuses doors that no container could have: two behind one port, or one behind a port that is none.
 * @throws DomainFailure `harness.bug`
 */
export function checkDoorPorts(doors: readonly { port: number }[] = []): void {
  const ports = doors.map(({ port }) => port);
  const wrong = ports.find((port) => !Number.isInteger(port) || port < LEAST_PORT || port > MOST_PORT);
  if (wrong !== undefined)
    throw new DomainFailure(
      'harness.bug',
      `a door's port is a whole number from ${LEAST_PORT} to ${MOST_PORT}, not ${wrong}`,
    );
  const twice = ports.find((port, index) => ports.indexOf(port) !== index);
  if (twice !== undefined) throw new DomainFailure('harness.bug', `a sandbox run asks for two doors on port ${twice}`);
}
