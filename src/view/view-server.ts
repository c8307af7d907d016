import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { kindOf, problemsOf } from '../domain/failure/problems-of.js';
import { UserError } from '../domain/failure/user-error.js';
import type { ViewSource } from '../client/view/view-source.js';
import { viewDocument, VIEW_POLICY } from './frame.js';
import { SERVED_LINKS } from './links.js';
import { createLiveParts } from './live-parts.js';
import { problemPage } from './pages/problem-page.js';
import { refusal } from './request-guard.js';
import { answerTo, type Answer } from './routes.js';

/** A running page server. */
export interface ViewServer {
  url: string;
  port: number;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** The first port that is tried where none is asked for, and how many are. */
const FIRST_PORT = 8700;
const PORTS_TRIED = 50;

const HEADERS = {
  'content-security-policy': `${VIEW_POLICY}; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * Serves pages on the loopback, to this machine alone.
 * @param port 0 for any free one; left out: 8700, or the next that is free
 * @throws UserError where the port that was asked for is taken
 */
export async function startViewServer(
  source: ViewSource,
  { port }: { port?: number | undefined } = {},
): Promise<ViewServer> {
  const live = createLiveParts(source);
  const server = createServer((request, response) => {
    const own = (server.address() as AddressInfo).port;
    const refused = refusal(request, own);
    const answer = async (): Promise<void> => {
      if (refused !== undefined) return await send(response, refused.status, plain(refused.why));
      const url = new URL(request.url ?? '/', `http://${HOST}`);
      await send(response, 200, await answerTo(source, live, url), request.method === 'HEAD');
    };
    answer().catch((error: unknown) => refuse(response, error));
  });
  await listen(server, port);
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://${HOST}:${own}/`,
    port: own,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: Server, wanted: number | undefined): Promise<void> {
  const ports = wanted === undefined ? Array.from({ length: PORTS_TRIED }, (_, index) => FIRST_PORT + index) : [wanted];
  for (const port of ports) if (await isListening(server, port)) return;
  throw new UserError('environment', {
    message: wanted === undefined ? `ports ${FIRST_PORT} to ${ports.at(-1)} are taken` : `port ${wanted} is taken`,
    expected: 'a free port of this machine',
    fix: wanted === undefined ? 'durabench view --port 0' : 'leave --port out for the next free one, or give another',
  });
}

/** @returns false where somebody else has the port */
function isListening(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    };
    server.once('error', fail);
    server.listen({ port, host: HOST, exclusive: true }, () => {
      server.off('error', fail);
      resolve(true);
    });
  });
}

const plain = (text: string): Answer => ({ type: 'text/plain; charset=utf-8', body: `${text}\n` });

async function send(response: ServerResponse, status: number, answer: Answer, isHead = false): Promise<void> {
  const { type, body, saveAs } = answer;
  response.writeHead(status, {
    ...HEADERS,
    'content-type': type,
    ...(saveAs !== undefined && {
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(saveAs)}`,
    }),
    ...(typeof body === 'string' && { 'content-length': Buffer.byteLength(body) }),
  });
  if (typeof body === 'string') return void response.end(isHead ? '' : body);
  if (isHead) body.destroy();
  else return pipeline(body, response);
  response.end();
}

function endOf(error: unknown): [status: number, title: string] {
  if (kindOf(error) === 'environment') return [503, 'This cannot be read now'];
  return error instanceof UserError ? [404, 'There is no such page'] : [500, 'This page failed'];
}

/** Why there is no page, as a page. */
async function refuse(response: ServerResponse, error: unknown): Promise<void> {
  // What was begun cannot be taken back: whoever reads finds it cut.
  if (response.headersSent) return void response.destroy();
  const [status, title] = endOf(error);
  const page = await viewDocument(SERVED_LINKS, problemPage(title, problemsOf(error)));
  await send(response, status, { type: 'text/html; charset=utf-8', body: page });
}
