import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { failureAnalysis } from '../../src/report/failures/failure-analysis.js';
import { htmlReport } from '../../src/report/page/html-report.js';
import { createTrialSampler } from '../../src/report/page/trial-samples.js';
import type { ReportSubject } from '../../src/report/report-subject.js';
import { openBrowser } from '../fixtures/browser/open-browser.js';
import { seriousFindings } from '../fixtures/browser/axe-findings.js';
import { PAYLOADS } from '../fixtures/browser/payloads.js';
import { DETAILS, SUBJECT, TRIALS } from '../fixtures/engine/report-subject.js';
import { totalsOf } from '../fixtures/engine/trial-totals.js';

let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'durabench-html-'));
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A subject in which everything that others write is this text. */
function hostile(text: string): ReportSubject {
  const trials = TRIALS.map((trial) => ({
    ...trial,
    ...{ message: text, reason: text.slice(0, 200), group: text.slice(0, 100), id: `${trial.id}${text.slice(0, 100)}` },
  }));
  const { campaign } = SUBJECT;
  return {
    ...SUBJECT,
    campaign: { ...campaign, name: text, dataset: text },
    totals: totalsOf(trials),
    failures: async () => ({ ...(await SUBJECT.failures()), explain: () => Promise.resolve({ message: text }) }),
    trialPages: async (visit) => void (await visit(trials)),
    integrity: SUBJECT.integrity.map((row) => ({
      ...row,
      flags: row.flags.map((flag) => ({ ...flag, detail: text })),
    })),
  };
}

async function written(subject: ReportSubject, name: string): Promise<string> {
  const sampler = createTrialSampler();
  await subject.trialPages(async (page) => sampler.add(page));
  const file = join(folder, name);
  const failures =
    subject === SUBJECT ? DETAILS.failures : await failureAnalysis(await subject.failures(), subject.trialPages);
  await writeFile(file, await htmlReport(subject, { ...DETAILS, failures }, sampler.samples()));
  return file;
}

/** Opens a page and keeps what it asked for and complained of. */
async function opened(file: string, width: number): Promise<{ page: Page; said: string[] }> {
  const said: string[] = [];
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  page.setDefaultTimeout(0);
  page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => said.push(String(error)));
  page.on('request', (request) => {
    if (!/^(?:file|data):/.test(request.url())) said.push(`asked for ${request.url()}`);
  });
  await page.goto(pathToFileURL(file).href);
  return { page, said };
}

test('asks for nothing and complains of nothing, fits a phone, and leads from a count to its trials', async () => {
  const file = await written(SUBJECT, 'report.html');
  const { page, said } = await opened(file, 360);
  expect(await page.title()).toBe('demo');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  expect(await page.locator('figure svg').count()).toBeGreaterThanOrEqual(4);
  // A chart that a table of the suite asks for: of both rows, in the panel of each.
  const own = page.getByRole('img', { name: 'Passed by system' });
  expect(await own.locator('svg text').allTextContents()).toEqual(expect.arrayContaining(['gold', 'red', '100%']));
  // By keyboard alone.
  const count = page.getByRole('table', { name: 'Results by system and group' }).getByRole('link').first();
  await count.focus();
  await page.keyboard.press('Enter');
  const list = page.locator(`details[id="${new URL(page.url()).hash.slice(1)}"]`);
  await list.locator('summary').focus();
  await page.keyboard.press('Enter');
  expect(await list.locator('li').first().isVisible()).toBe(true);
  expect(said).toEqual([]);
  await page.close();
});

test('a long text in a table has room on a phone, and a column in which nothing stands is left out', async () => {
  const file = await written(SUBJECT, 'phone.html');
  const { page } = await opened(file, 360);
  const widths = await page.evaluate<number[]>(
    "[...document.querySelectorAll('td:not(.number)')].filter((cell) => cell.textContent.trim().length > 60).map((cell) => cell.clientWidth)",
  );
  expect(widths.length).toBeGreaterThan(0);
  expect(Math.min(...widths)).toBeGreaterThan(200);
  const empty = await page.evaluate<string[]>(
    "[...document.querySelectorAll('table')].flatMap((table) => [...table.tHead.rows[0].cells].filter((_, at) => [...table.tBodies[0].rows].every((row) => row.cells[at].textContent.trim() === '')).map((head) => head.textContent))",
  );
  expect(empty).toEqual([]);
  await page.close();
});

test('is printed whole: no table is wider than a sheet on its side', async () => {
  const file = await written(SUBJECT, 'print.html');
  const { page } = await opened(file, 980);
  await page.emulateMedia({ media: 'print' });
  const widths = await page.evaluate<number[]>(
    "[...document.querySelectorAll('table')].map((table) => table.scrollWidth)",
  );
  expect(widths.length).toBeGreaterThan(4);
  expect(Math.max(...widths)).toBeLessThanOrEqual(980);
  await page.close();
});

test('commands in notes are set as such', async () => {
  const { page } = await opened(await written(SUBJECT, 'notes.html'), 1280);
  expect(await page.locator('.note code', { hasText: 'durabench explain CLASS' }).count()).toBe(1);
  expect(await page.locator('.note', { hasText: '`' }).count()).toBe(0);
  await page.close();
});

test('is without a serious finding of axe, on a desktop and on a phone', async () => {
  const file = await written(SUBJECT, 'axe.html');
  for (const width of [1280, 360]) {
    const { page } = await opened(file, width);
    expect(await seriousFindings(page)).toEqual([]);
    await page.close();
  }
});

test.each(PAYLOADS.map((payload) => [payload.slice(0, 40), payload]))(
  'runs and loads nothing of %j',
  async (_, payload) => {
    const file = await written(hostile(payload), 'hostile.html');
    expect((await readFile(file)).length).toBeLessThan(1_000_000);
    const { page, said } = await opened(file, 1280);
    expect(await page.evaluate('window.hit')).toBeUndefined();
    const places = await page.evaluate(
      "[...document.querySelectorAll('script, iframe, img, base, form, link')].map((each) => each.outerHTML)",
    );
    expect(places).toEqual(['<link rel="icon" href="data:,">']);
    expect(said).toEqual([]);
    await page.close();
  },
);
