import type { IncomingHttpHeaders } from 'node:http';

/** What of a request decides whether it is answered. */
export interface Asked {
  method?: string | undefined;
  headers: IncomingHttpHeaders;
}

/** Names of this machine to itself; a site that has its own name lead here (DNS rebinding) sends that name. */
const NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Why a request is refused; undefined for one of a page of ours, or of whoever types the address. @param port that of the server */
export function refusal({ method, headers }: Asked, port: number): { status: number; why: string } | undefined {
  const own = NAMES.map((name) => `${name}:${port}`);
  const { host, origin } = headers;
  if (host === undefined || !own.includes(host.toLowerCase()))
    return { status: 403, why: `Only requests to ${own[0]} are answered.` };
  if (origin !== undefined && !own.includes(origin.toLowerCase().replace(/^http:\/\//, '')))
    return { status: 403, why: 'Requests of other sites are not answered.' };
  const mode = headers['sec-fetch-mode'];
  if (headers['sec-fetch-site'] === 'cross-site' && mode !== 'navigate')
    return { status: 403, why: 'Requests of other sites are not answered.' };
  if (method !== 'GET' && method !== 'HEAD') return { status: 405, why: 'Pages are only read.' };
  return undefined;
}
