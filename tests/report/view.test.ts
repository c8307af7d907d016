import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/adapters/postgres/query-builder.js';
import { EXIT } from '../../src/cli/exit-code.js';
import { runCommandLine } from '../../src/cli/program.js';
import { openConnection } from '../../src/client/connection.js';
import { openContext } from '../../src/client/open-context.js';
import type { CampaignPlan } from '../../src/ports/records.js';
import { recordId } from '../../src/domain/campaign/ids.js';
import { viewSource, type ViewSource } from '../../src/client/view/view-source.js';
import { exportPages } from '../../src/view/export-pages.js';
import { startViewServer, type ViewServer } from '../../src/view/view-server.js';
import { seriousFindings } from '../fixtures/browser/axe-findings.js';
import { openBrowser } from '../fixtures/browser/open-browser.js';
import { PAYLOADS } from '../fixtures/browser/payloads.js';
import { drawn } from '../vitest/drawn.js';
import { expectDocument } from '../fixtures/cli/documents.js';
import { endedCampaign } from '../fixtures/engine/ended-campaign.js';
import { tellEverywhere } from '../fixtures/engine/told-trial.js';
import { migratedDatabase, type MigratedDatabase } from '../fixtures/postgres/postgres.js';

// Pages of real records, in a real browser.

const TOLD = 'told-0123456789';
const PLAIN = 'plain-0123456789';
/** A shared candidate, as of a suite that has them. */
function withGeneration({ batches: [batch] }: CampaignPlan): void {
  const id = recordId.generation(TOLD, 'sys', 'scope-0', 1);
  batch!.generation = { id, systemId: 'sys', scope: 'scope-0', repeat: 1, settings: {} };
}

const PAGES = [
  '',
  `campaign/${TOLD}`,
  `trials/${TOLD}`,
  `trials/${TOLD}?outcome=failed&system=sys`,
  `trial/${TOLD}/task-0-0/sys/1`,
  `task/${TOLD}/task-0-0?system=sys&system=other`,
  `generation/${TOLD}/sys/scope-0/1`,
];

let folder: string;
let database: MigratedDatabase;
let browser: Browser;
let source: ViewSource;
let server: ViewServer;
let closeConnection: () => Promise<void>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-view-'));
  browser = await openBrowser();
  database = await migratedDatabase();
  await endedCampaign(database, { id: TOLD, systems: { sys: ['f', 'p'], other: ['p', 'e'] }, change: withGeneration });
  await endedCampaign(database, {
    id: PLAIN,
    systems: { sys: [...'fpfpe', ...'p'.repeat(145)], other: 'f'.repeat(150).split('') },
  });
  await tell('plain words');
  const variables = {
    ...{ HOME: folder, PATH: process.env['PATH'], DURABENCH_HOME: folder },
    ...{ DATABASE_URL: database.databaseUrl, TEMPORAL_ADDRESS: '127.0.0.1:1' },
  };
  const context = openContext({ folder, variables });
  const opened = await openConnection(context);
  closeConnection = opened.close;
  source = viewSource(context, opened.connection);
  server = await startViewServer(source, { port: 0 });
});

afterAll(async () => {
  await server?.close();
  await closeConnection?.();
  await browser?.close();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

const tell = (text: string): Promise<void> =>
  tellEverywhere(database, { blobsFolder: join(folder, 'blobs'), campaign: TOLD, text });

/** Opens a page and keeps what it asked for elsewhere and complained of. */
async function opened(
  address: string,
  width = 1280,
): Promise<{ page: Page; said: string[]; status: number | undefined }> {
  const said: string[] = [];
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  page.setDefaultTimeout(0);
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('request', (asked) => {
    const own = [server.url, 'data:', pathToFileURL(folder).href];
    if (!own.some((each) => asked.url().startsWith(each))) said.push(`asked for ${asked.url()}`);
  });
  const answer = await page.goto(address);
  return { page, said, status: answer?.status() };
}

/** A request as no browser would send it. */
function ask(
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status?: number; text: string; headers: object }> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path: '/', method, headers }, (answer) => {
      let text = '';
      answer.on('data', (piece: Buffer) => (text += piece.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

describe('pages', () => {
  test.each(PAGES)(
    '/%s fits a phone, asks for nothing elsewhere, and is without a serious finding of axe',
    async (path) => {
      await tell('plain words');
      for (const width of [1280, 360]) {
        const { page, said, status } = await opened(`${server.url}${path}`, width);
        expect(status).toBe(200);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expect(await seriousFindings(page)).toEqual([]);
        expect(said).toEqual([]);
        await page.close();
      }
    },
  );

  test('lead by keyboard from a campaign to a trial, to the next failures and back', async () => {
    const { page, said } = await opened(`${server.url}campaign/${PLAIN}`);
    await page.getByRole('link', { name: 'failed', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/outcome=failed/);
    expect(await page.getByRole('status').textContent()).toContain('1 to 100 of 152');
    await page.getByRole('link', { name: 'task-0-0' }).first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/trial\//);
    const first = page.url();
    await page.keyboard.press('j');
    await page.waitForURL(/task-0-2\/sys/);
    await page.keyboard.press('k');
    await page.waitForURL((url) => url.href === first);
    await page.getByRole('link', { name: /side by side with other/ }).click();
    await page.waitForURL(/\/task\//);
    expect(
      await page.getByRole('region', { name: 'Trials side by side' }).getByRole('heading', { level: 2 }).count(),
    ).toBe(2);
    expect(said).toEqual([]);
    await page.close();
  });

  test('a campaign is read again while it runs, without a reload, until it has ended', async () => {
    const id = 'open-0123456789';
    await endedCampaign(database, { id, systems: { sys: ['f', 'p', 'p'] } });
    await sql`update trials set state = 'running', outcome = null where campaign_id = ${id}`.execute(database.kysely);
    await sql`update campaigns set ended_at = null, ended_as = null where id = ${id}`.execute(database.kysely);
    const { page, said } = await opened(`${server.url}campaign/${id}`);
    await page.evaluate('window.loadedOnce = true');
    await page.getByText('0 of 3 done').waitFor();
    await sql`update trials set state = 'done', outcome = 'passed' where campaign_id = ${id}`.execute(database.kysely);
    await page.getByText('3 of 3 done: 3 passed').waitFor();
    await sql`update campaigns set ended_at = now(), ended_as = 'completed' where id = ${id}`.execute(database.kysely);
    await page.getByText('completed: 3 of 3 done').waitFor();
    expect(await page.evaluate('window.loadedOnce')).toBe(true);
    expect(said).toEqual([]);
    await page.close();
  });

  test('a trial has its calls with prompt, answer and price, votes, changes, stages and evidence', async () => {
    await tell('some words of a model');
    const { page } = await opened(`${server.url}trial/${TOLD}/task-0-0/sys/1`);
    const textOf = async (id: string): Promise<string> => (await page.locator(`#${id}`).textContent()) ?? '';
    expect(await textOf('calls')).toMatch(/\$0\.0007, 7 tokens/);
    expect((await textOf('calls')).match(/some words of a model/g)?.length).toBeGreaterThanOrEqual(5);
    expect(await textOf('votes')).toContain('some words of a model');
    expect(await page.locator('#diffs ins').textContent()).toBe('+some words of a model');
    expect(await page.locator('#stages svg rect').count()).toBe(1);
    expect(await textOf('steps')).toContain('matches');
    const whole = page.locator('#steps details', { hasText: 'bytes' }).first();
    const address = await whole.getByRole('link', { includeHidden: true }).getAttribute('href');
    const evidence = await fetch(new URL(address!, server.url));
    expect(evidence.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(evidence.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await evidence.text()).toContain('some words of a model');
    await page.close();
  });

  test('a filter that no trial can pass is shown as it was asked', async () => {
    const text = await (await fetch(`${server.url}trials/${PLAIN}?system=nobody`)).text();
    expect(text).toContain('No trial matches.');
    expect(text).toMatch(/<option value="nobody" selected>/);
  });

  test('what is not there is said, with the command that helps', async () => {
    for (const path of [
      'nothing',
      'campaign/none',
      'trial/a/b/c/1',
      'trials/none',
      '%00',
      'evidence/trial/x/a/b/c/1',
    ]) {
      const answer = await fetch(`${server.url}${path}`);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(await answer.text()).toContain('to fix it');
    }
  });
});

describe('hostile text in every field', () => {
  // Each on every page; the page of a report is tried with them all. Control sequences and a line of ten million characters, the
  // last two, are of another kind than the rest.
  const tried = [...drawn(PAYLOADS.slice(0, -2), 6), ...PAYLOADS.slice(-2)];
  test.each(tried.map((payload) => [payload.slice(0, 40), payload]))('does nothing: %j', async (_, payload) => {
    await tell(payload);
    const { page, said } = await opened('about:blank');
    for (const path of PAGES) {
      const answer = await fetch(`${server.url}${path}`);
      const text = await answer.text();
      expect(text.length).toBeLessThan(1_000_000);
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
      await page.goto(`${server.url}${path}`);
      await page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))");
      expect(await page.evaluate('window.hit')).toBeUndefined();
      const places = await page.evaluate(
        "[...document.querySelectorAll('script, iframe, img, base, link, [onload], [onerror], [onmouseover]')].map((each) => each.outerHTML)",
      );
      expect(places).toEqual([
        '<link rel="icon" href="data:,">',
        '<link rel="stylesheet" href="/view.css">',
        '<script src="/view.js" defer=""></script>',
      ]);
      const leads = await page.evaluate(
        "[...document.querySelectorAll('a, form')].map((each) => each.href ?? each.action)",
      );
      expect((leads as string[]).filter((each) => !each.startsWith(server.url))).toEqual([]);
      expect(said).toEqual([]);
    }
    await page.close();
  });
});

describe('the server', () => {
  test('answers this machine alone, by its own name, and only reads', async () => {
    const own = `127.0.0.1:${server.port}`;
    expect((await ask({ host: own })).status).toBe(200);
    expect((await ask({ host: `localhost:${server.port}` })).status).toBe(200);
    for (const host of [
      'evil.example',
      `evil.example:${server.port}`,
      '127.0.0.1:1',
      `127.0.0.1.evil.example:${server.port}`,
    ])
      expect([host, (await ask({ host })).status]).toEqual([host, 403]);
    for (const origin of ['http://evil.example', 'null', `https://127.0.0.1:1`])
      expect([origin, (await ask({ host: own, origin })).status]).toEqual([origin, 403]);
    expect((await ask({ host: own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).status).toBe(403);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      expect((await ask({ host: own }, method)).status).toBe(405);
    expect(await ask({ host: own }, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  test('lets a page load its own style and script, and nothing else', async () => {
    const { headers } = (await ask({ host: `127.0.0.1:${server.port}` })) as { headers: Record<string, string> };
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self'; script-src 'self';/);
    expect(headers['content-security-policy']).not.toMatch(/unsafe/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  test('two take ports of their own; one that is asked for and taken is named', async () => {
    const [one, other] = [await startViewServer(source), await startViewServer(source)];
    try {
      expect(one.port).not.toBe(other.port);
      await expect(startViewServer(source, { port: one.port })).rejects.toMatchObject({
        kind: 'environment',
        problems: [{ message: `port ${one.port} is taken`, fix: expect.stringContaining('--port') as string }],
      });
    } finally {
      await one.close();
      await other.close();
    }
  });
});

describe('the command', () => {
  async function durabench(variables: Record<string, string>, ...argv: string[]) {
    const end = { stdout: '', stderr: '' };
    const code = await runCommandLine({
      argv,
      cwd: folder,
      variables: { HOME: folder, PATH: process.env['PATH'], DURABENCH_HOME: folder, ...variables },
      stdout: { write: (text) => (end.stdout += text) },
      stderr: { write: (text) => (end.stderr += text) },
    });
    return { code, ...end };
  }
  const servers = (): Record<string, string> => ({
    DATABASE_URL: database.databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
  });

  test('says in three lines that a port is taken, and how to get another one', async () => {
    const { code, stderr } = await durabench(servers(), 'view', '--port', String(server.port));
    expect(code).toBe(EXIT.environment);
    expect(stderr.trim().split('\n')).toEqual([
      `error: port ${server.port} is taken`,
      expect.stringContaining('a free port'),
      expect.stringContaining('--port'),
    ]);
  });

  test('says without a stack which command starts one', async () => {
    const { code, stderr } = await durabench({}, 'view');
    expect(code).toBe(EXIT.environment);
    expect(stderr).toContain('durabench up');
  });

  test('exports one campaign, and says where; never into a folder with something in it', async () => {
    const out = join(folder, 'by-command');
    const { code, stdout } = await durabench(servers(), 'view', 'told', '--export', out, '--json');
    expect(code).toBe(EXIT.ok);
    const document = JSON.parse(stdout) as { pages: number };
    expectDocument(document, 'view-export');
    expect(document).toMatchObject({ folder: out, campaigns: [TOLD] });
    expect(await readFile(join(out, 'index.html'), 'utf8')).not.toContain(PLAIN);
    const again = await durabench(servers(), 'view', 'told', '--export', out);
    expect(again.code).toBe(EXIT.usage);
    expect(again.stderr).toContain('holds files');
  });
});

describe('exported pages', () => {
  test('are files with relative links, of which each is there, and work without a server', async () => {
    await tell('plain words');
    const out = join(folder, 'pages');
    const pages = await exportPages({ source, folder: out, campaigns: [TOLD, PLAIN] });
    expect(pages).toBeGreaterThan(300);
    const { page, said } = await opened(pathToFileURL(join(out, 'index.html')).href);
    await page.getByRole('link', { name: PLAIN }).click();
    await page.waitForURL(new RegExp(`/${PLAIN}/index`));
    const style = await page.evaluate("getComputedStyle(document.querySelector('table')).borderCollapse");
    expect(style).toBe('collapse');
    await page.getByRole('link', { name: 'failed', exact: true }).click();
    await page.getByRole('link', { name: '2', exact: true }).click();
    await page.getByRole('link', { name: 'task-0-149' }).first().click();
    // A click returns before the page it leads to is there; a key pressed meanwhile is lost with the old one.
    await page.waitForURL(/task-0-149\/other\/1\.html/);
    await page.keyboard.press('k');
    await page.waitForURL(/task-0-148\/other\/1\.html/);
    await page.getByRole('link', { name: /side by side with sys/ }).click();
    await page.waitForURL(/\/task\//);
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(3);
    expect(said).toEqual([]);
    await page.close();
    await expect(exportPages({ source, folder: out, campaigns: [] })).rejects.toMatchObject({ kind: 'usage' });
  });

  test('lead to no file that is not there, and to no place on this machine', async () => {
    const out = join(folder, 'checked');
    await exportPages({ source, folder: out, campaigns: [TOLD] });
    const seen = new Set<string>();
    const follow = async (file: string): Promise<void> => {
      if (seen.has(file)) return;
      seen.add(file);
      const text = await readFile(file, 'utf8');
      expect(text).not.toContain(folder);
      for (const [, address = ''] of text.matchAll(/(?:href|src)="([^"#]+)/g)) {
        if (address.startsWith('data:')) continue;
        expect(address).not.toMatch(/^(?:\/|[a-z]+:)/);
        await follow(join(file, '..', address));
      }
    };
    await follow(join(out, 'index.html'));
    expect(seen.size).toBeGreaterThanOrEqual(15);
  });
});
