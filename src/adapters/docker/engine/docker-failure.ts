import { diskFull } from '../../../domain/failure/disk-full.js';
import { DomainFailure } from '../../../domain/failure/domain-failure.js';

/** Network errors of a daemon that is not there, not ours to ask, or silent (EAGAIN: so long that no connection is queued any more). */
const UNREACHABLE = new Set([
  ...['ECONNREFUSED', 'ENOENT', 'EACCES', 'EPERM', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH', 'EAGAIN'],
]);
/** Network errors of a daemon that went away during a request. */
const BROKEN = new Set(['ECONNRESET', 'EPIPE']);

/** What an error of the Docker client means. The one mapping from vendor errors to ours; a `DomainFailure` passes unchanged. */
export function dockerFailure(error: unknown, doing: string): DomainFailure {
  if (error instanceof DomainFailure) return error;
  const {
    code,
    statusCode,
    message = String(error),
  } = error as { code?: string; statusCode?: number; message?: string };
  if (code !== undefined && (UNREACHABLE.has(code) || BROKEN.has(code))) return unavailable(doing, message, error);
  if (/no space left on device|disk quota exceeded/i.test(message)) {
    const told = `${doing}: the disk of the Docker engine is full`;
    return diskFull({ message: told, expected: 'at least 2 GiB free' }, { cause: error });
  }
  // A daemon that is shutting down or starting answers with 5xx, as it does when a container dies under a request.
  if (statusCode === 404 || statusCode === 409 || (statusCode !== undefined && statusCode >= 500)) {
    return new DomainFailure('sandbox.lost', `${doing}: ${message.slice(0, 500)}`, { cause: error });
  }
  if (statusCode !== undefined) {
    return new DomainFailure('harness.bug', `${doing}: Docker refused (${statusCode}): ${message.slice(0, 500)}`, {
      cause: error,
    });
  }
  return new DomainFailure('harness.bug', `${doing}: ${message.slice(0, 1000)}`, { cause: error });
}

function unavailable(doing: string, message: string, cause: unknown): DomainFailure {
  return new DomainFailure(
    'sandbox.unavailable',
    {
      message: `${doing}: the Docker engine does not answer (${message.slice(0, 200)})`,
      expected: 'a running engine this user may reach (DOCKER_HOST or the local socket)',
      fix: 'start Docker and check "docker info"; campaigns then continue by themselves',
    },
    { cause },
  );
}
