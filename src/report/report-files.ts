import type { Stats } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../contract/json.js';
import { unwritable } from '../domain/failure/unwritable.js';
import { jsonHash } from '../domain/text/content-hash.js';
import { NO_FAILURES, type FailureAnalysis } from './failures/failure-analysis.js';
import { writeFullReport } from './full-report.js';
import { markdownReport } from './markdown-report.js';
import { htmlReport } from './page/html-report.js';
import { createTrialSampler } from './page/trial-samples.js';
import type { ReportSubject, WrittenReport } from './report-subject.js';

type Unreported = Omit<ReportSubject, 'report'>;
/** What a report shows of the record. */
type Recorded = Pick<ReportSubject, 'campaign' | 'totals' | 'events' | 'integrity'>;

type ReportPaths = Record<'markdown' | 'json' | 'html' | 'written', string>;

function reportPaths(stateFolder: string, campaignId: string): ReportPaths {
  const file = (name: string): string => join(stateFolder, 'reports', campaignId, name);
  return {
    ...{ markdown: file('report.md'), json: file('report.json'), html: file('report.html') },
    written: file('written.json'),
  };
}

/** What `written.json` says of the files beside it. */
interface Written {
  /** Of the record they show (`recordDigest`). */
  record: string;
  /** ISO, UTC. */
  at: string;
  /** Bytes: files of another writer are not taken for these. */
  sizes: { markdown: number; json: number; html: number };
}

/** The last report written here, null where there is none. */
export async function lastReport(subject: Recorded, stateFolder: string): Promise<WrittenReport | null> {
  const paths = reportPaths(stateFolder, subject.campaign.id);
  const [markdown, json, html] = await Promise.all([paths.markdown, paths.json, paths.html].map(fileOrNull));
  if (!markdown) return null;
  const written = await readWritten(paths.written);
  const sizes = { markdown: markdown.size, json: json?.size, html: html?.size };
  const isWhole = written !== null && isDeepStrictEqual(written.sizes, sizes);
  const places = { path: paths.markdown, page: paths.html };
  if (!written || !isWhole) return { ...places, at: markdown.mtime.toISOString(), isCurrent: false };
  return { ...places, at: written.at, isCurrent: written.record === recordDigest(subject) };
}

/**
 * Writes the files anew, each in one step, and then what they show.
 * @returns the analysis with it: it was made on the way
 * @throws UserError where the folder cannot be written
 */
export async function writeReport(
  subject: Unreported,
  stateFolder: string,
): Promise<{ report: WrittenReport; failures: FailureAnalysis }> {
  const paths = reportPaths(stateFolder, subject.campaign.id);
  const report = { path: paths.markdown, page: paths.html, at: new Date().toISOString(), isCurrent: true };
  const folder = join(paths.markdown, '..');
  try {
    await mkdir(folder, { recursive: true });
    return { report, failures: await writeFiles({ ...subject, report }, paths) };
  } catch (error) {
    throw unwritable(error, folder, 'DURABENCH_HOME');
  }
}

async function writeFiles(
  whole: ReportSubject & { report: WrittenReport },
  paths: ReportPaths,
): Promise<FailureAnalysis> {
  // Trials are read once, for two of the files.
  const sampler = createTrialSampler();
  const sampled: ReportSubject = {
    ...whole,
    trialPages: (visit) =>
      whole.trialPages(async (page) => {
        sampler.add(page);
        await visit(page);
      }),
  };
  let failures = NO_FAILURES;
  const json = await replace(paths.json, async (part) => {
    const file = await open(part, 'w');
    failures = await writeFullReport(sampled, whole.details(), (piece) => file.appendFile(piece)).finally(() =>
      file.close(),
    );
  });
  const details = await whole.details();
  const page = await htmlReport(whole, { ...details, failures }, sampler.samples());
  const html = await replace(paths.html, (part) => writeFile(part, page));
  const markdown = await replace(paths.markdown, (part) =>
    writeFile(part, markdownReport(whole, { ...details, failures })),
  );
  const written: Written = { record: recordDigest(whole), at: whole.report.at, sizes: { markdown, json, html } };
  await replace(paths.written, (part) => writeFile(part, JSON.stringify(written)));
  return failures;
}

/** The report on this machine, written now unless the last one shows the record as it is. */
export async function currentReport(subject: ReportSubject, stateFolder: string): Promise<WrittenReport> {
  return subject.report?.isCurrent === true ? subject.report : (await writeReport(subject, stateFolder)).report;
}

/** Changes with everything a report shows of the record. */
function recordDigest({ campaign, totals, events, integrity }: Recorded): string {
  const { tallies, tasks, failures, spend } = totals;
  // Sums come in no order.
  const rows = {
    tallies: unordered(tallies),
    tasks: unordered(tasks),
    failures: unordered(failures),
    spend: unordered(spend),
  };
  return jsonHash({
    campaign,
    events: events.filter(({ action }) => !isOfNotifications(action)),
    integrity,
    ...rows,
  } as unknown as Json);
}

/** Told while and after a report is written, and no part of what it shows. */
const isOfNotifications = (action: string): boolean => /^notif/.test(action);

const unordered = (rows: readonly unknown[]): string[] => rows.map((row) => jsonHash(row as Json)).sort();

async function readWritten(path: string): Promise<Written | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Written;
  } catch {
    return null; // a report of before this file was known, or one that was cut short
  }
}

async function fileOrNull(path: string): Promise<Stats | null> {
  return stat(path).catch(() => null);
}

/** What `report.json` would hold now, piece by piece. */
export async function* reportJson(subject: ReportSubject): AsyncGenerator<string> {
  yield* throughFile(
    async (file) => void (await writeFullReport(subject, subject.details(), (piece) => file.appendFile(piece))),
  );
}

/**
 * What is written, piece by piece. By way of a file that has no name: whoever reads slowly keeps neither the records nor the
 * memory busy, and nothing is left when he has seen enough.
 * @throws UserError where the folder for such files cannot be written
 */
export async function* throughFile(write: (file: FileHandle) => Promise<void>): AsyncGenerator<string> {
  const parent = tmpdir();
  const refused = (error: unknown): never => {
    throw unwritable(error, parent, 'TMPDIR');
  };
  const folder = await mkdtemp(join(parent, 'durabench-report-')).catch(refused);
  const file = await open(join(folder, 'report'), 'wx+')
    .catch(refused)
    .finally(() => rm(folder, { recursive: true }));
  try {
    await write(file).catch(refused);
    yield* file.createReadStream({ start: 0, encoding: 'utf8' }) as AsyncIterable<string>;
  } finally {
    await file.close();
  }
}

/** @returns the size in bytes */
async function replace(path: string, write: (part: string) => Promise<void>): Promise<number> {
  // The worker and the command that watches may write at once.
  const part = `${path}.${process.pid}.part`;
  try {
    await write(part);
    const { size } = await stat(part);
    await rename(part, path);
    return size;
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}
