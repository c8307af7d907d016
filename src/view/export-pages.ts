import type { TrialChoice, TrialRow } from '../client/index.js';
import { writeFolder, type WriteFile } from '../client/results/write-folder.js';
import type { ViewedOutline, ViewSource } from '../client/view/view-source.js';
import type { OwnerRef } from '../contract/stage.js';
import { VIEW_SCRIPT, VIEW_STYLE } from './assets.js';
import { FILES, fileLinks } from './file-links.js';
import { viewDocument, type ViewPage } from './frame.js';
import type { Links } from './links.js';
import { CALLS_A_PAGE, type CallsShown } from './pages/calls-part.js';
import { campaignPage, livePart } from './pages/campaign-page.js';
import { campaignsPage } from './pages/campaigns-page.js';
import { generationPage } from './pages/generation-page.js';
import { taskPage } from './pages/task-page.js';
import { trialPage } from './pages/trial-page.js';
import { TRIALS_A_PAGE, trialsPage } from './pages/trials-page.js';
import { callsShown, FAILURES } from './routes.js';
import { OUTCOMES } from './choice-query.js';

/** What is to be exported. */
export interface PageExport {
  source: ViewSource;
  /** Absolute; must not be there, or be empty. */
  folder: string;
  /** Ids. */
  campaigns: readonly string[];
  /** Told now and then how many pages there are. */
  onProgress?: (pages: number) => void;
}

/** Every campaign of an installation, at most. */
const MOST_CAMPAIGNS = 100_000;
const TOLD_EVERY = 500;

/**
 * Writes pages as files with relative links, all of them or none.
 * @returns how many pages there are
 * @throws UserError where the folder is taken or cannot be written
 */
export async function exportPages({ source, folder, campaigns, onProgress }: PageExport): Promise<number> {
  let pages = 0;
  const fill = async (writeFile: WriteFile): Promise<void> => {
    const write: Write = async (file, page) => {
      await writeFile(file, await viewDocument(fileLinks(file), page(fileLinks(file))));
      pages += 1;
      if (pages % TOLD_EVERY === 0) onProgress?.(pages);
    };
    await writeFile(FILES.style, VIEW_STYLE);
    await writeFile(FILES.script, VIEW_SCRIPT);
    const rows = (await source.campaigns({ limit: MOST_CAMPAIGNS })).filter(({ id }) => campaigns.includes(id));
    await write(FILES.campaigns, (links) => campaignsPage(links, rows));
    for (const { id } of rows) await exportCampaign(source, id, write);
  };
  await writeFolder(folder, fill, '--export');
  return pages;
}

type Write = (file: string, page: (links: Links) => ViewPage) => Promise<void>;

async function exportCampaign(source: ViewSource, id: string, write: Write): Promise<void> {
  const [outline, state, generations] = await Promise.all([
    source.outline(id),
    source.state(id),
    source.generations(id),
  ]);
  await write(FILES.campaign(id), (links) =>
    campaignPage(links, outline, { part: livePart(links, state, generations), isOver: true }),
  );
  const systems = outline.spec.systems.map((system) => system.id);
  const lists: TrialChoice[] = [undefined, ...OUTCOMES].flatMap((outcome) => {
    const outcomes = outcome === undefined ? {} : { outcomes: [outcome] };
    return [outcomes, ...systems.map((system) => ({ ...outcomes, systems: [system] }))];
  });
  const all = await exportList(source, outline, {}, write);
  for (const choice of lists.slice(1)) await exportList(source, outline, choice, write);
  await exportTrials(source, all, write);
  for (const task of new Set(all.map(({ taskId }) => taskId))) {
    const trials = await source.task(id, task);
    await write(FILES.task(id, task), (links) => taskPage(links, { outline, task, trials }));
  }
  for (const generation of generations) {
    const detail = await source.generation(generation.id);
    await eachOfCalls(source, { kind: 'generation', id: generation.id }, (calls) =>
      write(FILES.generation(generation.id, calls.page), (links) => generationPage(links, detail, calls)),
    );
  }
}

type Listed = Pick<TrialRow, 'id' | 'taskId' | 'outcome'>;

/** One list, page by page. @returns what is in it */
async function exportList(
  source: ViewSource,
  outline: ViewedOutline,
  choice: TrialChoice,
  write: Write,
): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (let page = 1; ; page += 1) {
    const part = { offset: (page - 1) * TRIALS_A_PAGE, limit: TRIALS_A_PAGE };
    const found = await source.trials(outline.id, choice, part);
    const file = FILES.trials(outline.id, choice, page)!;
    await write(file, (links) => trialsPage(links, outline, { ...found, choice, page }));
    listed.push(...found.trials.map(({ id, taskId, outcome }) => ({ id, taskId, outcome })));
    if (listed.length >= found.total || found.trials.length === 0) return listed;
  }
}

async function exportTrials(source: ViewSource, all: readonly Listed[], write: Write): Promise<void> {
  const failures = all.filter(({ outcome }) => outcome === 'failed' || outcome === 'errored').map(({ id }) => id);
  let passedBy = 0;
  for (const { id } of all) {
    const isFailure = failures[passedBy] === id;
    const next = failures[passedBy + (isFailure ? 1 : 0)] ?? null;
    const place = { choice: FAILURES, previous: failures[passedBy - 1] ?? null, next };
    if (isFailure) passedBy += 1;
    const viewed = await source.trial(id);
    await eachOfCalls(source, { kind: 'trial', id }, (calls) =>
      write(FILES.trial(id, calls.page), (links) => trialPage(links, viewed, calls, place)),
    );
  }
}

/** Model calls page by page; the first one also where there are none. */
async function eachOfCalls(
  source: ViewSource,
  owner: OwnerRef,
  visit: (calls: CallsShown) => Promise<void>,
): Promise<void> {
  for (let page = 1; ; page += 1) {
    const calls = await callsShown(source, owner, page);
    await visit(calls);
    if (page * CALLS_A_PAGE >= calls.total) return;
  }
}
