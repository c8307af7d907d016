/** Where references without a registry of their own point to. */
const DOCKER_HUB = 'registry-1.docker.io';

/**
 * Why the registry of an image cannot be reached from this machine, without an engine: asked directly, as an engine
 * that is not there yet would ask it. Null where it answers, which an engine's proxy or mirror may still make untrue.
 * @param reference `python:3.11`, `registry.example/team/image:1`; of `localhost:5000/image` plain HTTP, as engines do
 */
export async function askRegistry(reference: string, timeoutMs: number): Promise<string | null> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const { status } = await fetch(`${registryOf(reference)}/v2/`, { signal, redirect: 'manual' });
    // 401 asks for a token, which everybody is given for public images.
    return status === 200 || status === 401 ? null : `answers with ${status}`;
  } catch (error) {
    if (signal.aborted) return `silent for ${timeoutMs / 1000} s`;
    const { message, cause } = error as Error;
    return (cause instanceof Error ? cause.message : message).slice(0, 160);
  }
}

function registryOf(reference: string): string {
  const [first = '', ...rest] = reference.split('/');
  const isLocal = /^(localhost|127\.0\.0\.1)(:|$)/.test(first);
  const isHost = rest.length > 0 && (isLocal || /[.:]/.test(first));
  const host = isHost && !/^(index\.)?docker\.io$/.test(first) ? first : DOCKER_HUB;
  return `${isLocal && rest.length > 0 ? 'http' : 'https'}://${host}`;
}
