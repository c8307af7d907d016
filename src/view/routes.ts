import type { Readable } from 'node:stream';
import type { OwnerRef } from '../contract/stage.js';
import type { TrialChoice } from '../client/index.js';
import type { ViewSource } from '../client/view/view-source.js';
import { UserError } from '../domain/failure/user-error.js';
import { VIEW_SCRIPT, VIEW_STYLE } from './assets.js';
import { readChoice } from './choice-query.js';
import { viewDocument, type ViewPage } from './frame.js';
import { SERVED_LINKS } from './links.js';
import type { LiveParts } from './live-parts.js';
import { CALLS_A_PAGE, type CallsShown } from './pages/calls-part.js';
import { campaignPage } from './pages/campaign-page.js';
import { campaignsPage } from './pages/campaigns-page.js';
import { generationPage } from './pages/generation-page.js';
import { taskPage } from './pages/task-page.js';
import { trialPage } from './pages/trial-page.js';
import { TRIALS_A_PAGE, trialsPage } from './pages/trials-page.js';

/** What is answered. */
export interface Answer {
  type: string;
  body: string | Readable;
  /** A name, for what is to be saved and not shown. */
  saveAs?: string;
}

/** Campaigns of the first page. */
const MOST_CAMPAIGNS = 200;
const MOST_PAGES = 1_000_000;
/** How trials are chosen that `j` and `k` lead to, where the address does not say. */
export const FAILURES: TrialChoice = { outcomes: ['failed', 'errored'] };

/** Finds what an address names. @throws UserError where there is nothing */
export async function answerTo(
  source: ViewSource,
  live: LiveParts,
  { pathname, searchParams: query }: URL,
): Promise<Answer> {
  const [kind = '', ...parts] = pathname.slice(1).split('/').map(decoded);
  const id = parts.join('/');
  if (pathname === SERVED_LINKS.style) return { type: 'text/css; charset=utf-8', body: VIEW_STYLE };
  if (pathname === SERVED_LINKS.script) return { type: 'text/javascript; charset=utf-8', body: VIEW_SCRIPT };
  if (kind === 'evidence') return evidence(source, parts);
  if (kind === 'campaign' && parts[1] === 'live') return json(await live.document(parts[0]!));
  const page = await pageOf({ source, live, query }, { kind, parts, id });
  if (page === undefined)
    throw new UserError('usage', { message: `there is no page ${pathname}`, fix: 'begin at the list of campaigns' });
  return { type: 'text/html; charset=utf-8', body: await viewDocument(SERVED_LINKS, page) };
}

const json = (document: object): Answer => ({ type: 'application/json', body: JSON.stringify(document) });

async function pageOf(
  { source, live, query }: { source: ViewSource; live: LiveParts; query: URLSearchParams },
  { kind, parts, id }: { kind: string; parts: readonly string[]; id: string },
): Promise<ViewPage | undefined> {
  const links = SERVED_LINKS;
  const number = (name: string): number => pageNumber(query.get(name));
  const callsOf = (owner: OwnerRef): Promise<CallsShown> => callsShown(source, owner, number('calls'));
  switch (kind) {
    case '': {
      const tag = query.get('tag') ?? undefined;
      return campaignsPage(links, await source.campaigns({ limit: MOST_CAMPAIGNS, tag }), tag);
    }
    case 'campaign': {
      const outline = await source.outline(id);
      return campaignPage(links, outline, await live.soon(id));
    }
    case 'trials': {
      const [choice, page] = [readChoice(query), number('page')];
      const part = { offset: (page - 1) * TRIALS_A_PAGE, limit: TRIALS_A_PAGE };
      const [outline, found] = await Promise.all([source.outline(id), source.trials(id, choice, part)]);
      return trialsPage(links, outline, { ...found, choice, page });
    }
    case 'trial': {
      const asked = readChoice(query);
      const choice = asked.outcomes === undefined ? { ...asked, ...FAILURES } : asked;
      const owner = { kind: 'trial', id } as const;
      const [viewed, calls, place] = await Promise.all([
        source.trial(id),
        callsOf(owner),
        source.neighbours(id, choice),
      ]);
      return trialPage(links, viewed, calls, { choice, ...place });
    }
    case 'task': {
      const [campaign = '', ...task] = parts;
      const { systems } = readChoice(query);
      const [outline, trials] = await Promise.all([
        source.outline(campaign),
        source.task(campaign, task.join('/'), systems),
      ]);
      return trials.length === 0 ? undefined : taskPage(links, { outline, task: task.join('/'), trials });
    }
    case 'generation': {
      const calls = await callsOf({ kind: 'generation', id });
      return generationPage(links, await source.generation(id), calls);
    }
    default:
      return undefined;
  }
}

/** A page of the model calls of a trial or generation. @param page from 1 */
export async function callsShown(source: ViewSource, owner: OwnerRef, page: number): Promise<CallsShown> {
  const part = { offset: (page - 1) * CALLS_A_PAGE, limit: CALLS_A_PAGE };
  return { ...(await source.calls(owner, part)), page };
}

function pageNumber(text: string | null): number {
  const page = /^\d{1,7}$/.test(text ?? '') ? Number(text) : 1;
  return Math.min(Math.max(page, 1), MOST_PAGES);
}

/** Bytes as they are, never as a page: what is no text is saved. */
async function evidence(source: ViewSource, [kind, sha256 = '', ...id]: readonly string[]): Promise<Answer> {
  const owner: OwnerRef = { kind: kind === 'generation' ? 'generation' : 'trial', id: id.join('/') };
  const { ref, isText, bytes } = await source.evidence(owner, sha256);
  return isText
    ? { type: 'text/plain; charset=utf-8', body: bytes }
    : { type: 'application/octet-stream', body: bytes, saveAs: ref.name };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // names nothing
  }
}
