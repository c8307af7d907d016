import { setTimeout as sleep } from 'node:timers/promises';
import type { ViewSource } from '../client/view/view-source.js';
import type { Html } from '../report/page/page-frame.js';
import { SERVED_LINKS } from './links.js';
import { livePart } from './pages/campaign-page.js';

/** Where campaigns stand, added up for whoever looks. */
export interface LiveParts {
  /** As soon as a page is to be there; null where adding up takes longer: the page then asks for it. */
  soon(campaign: string): Promise<{ part: Html; isOver: boolean } | null>;
  /** The same as a document that the script of the page reads. */
  document(campaign: string): Promise<{ html: string; isOver: boolean }>;
}

/** How long a first look waits for sums over many trials. */
const SOON_MS = 700;

/** Reads once for all who look at the same time. */
export function createLiveParts(source: ViewSource): LiveParts {
  const reading = new Map<string, Promise<{ part: Html; isOver: boolean }>>();

  async function read(campaign: string): Promise<{ part: Html; isOver: boolean }> {
    const [state, generations] = await Promise.all([source.state(campaign), source.generations(campaign)]);
    return { part: livePart(SERVED_LINKS, state, generations), isOver: !state.isOpen };
  }

  function current(campaign: string): Promise<{ part: Html; isOver: boolean }> {
    const known = reading.get(campaign);
    if (known !== undefined) return known;
    const begun = read(campaign).finally(() => reading.delete(campaign));
    reading.set(campaign, begun);
    return begun;
  }

  return {
    soon: async (campaign) => {
      const own = current(campaign);
      own.catch(() => undefined); // told to whoever waits for it
      return Promise.race([own, sleep(SOON_MS, null, { ref: false })]);
    },
    document: async (campaign) => {
      const { part, isOver } = await current(campaign);
      return { html: String(await part), isOver };
    },
  };
}
