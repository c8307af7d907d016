import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFullReport } from './full-report.js';
import { markdownReport } from './markdown-report.js';
import type { ReportDetails } from './report-details.js';
import type { ReportSubject } from './report-subject.js';

/** Where a campaign's `report.md` and `report.json` are. */
export function reportPaths(stateFolder: string, campaignId: string): { markdown: string; json: string } {
  const folder = join(stateFolder, 'reports', campaignId);
  return { markdown: join(folder, 'report.md'), json: join(folder, 'report.json') };
}

/** Path of `report.md` when it was written, else null. */
export function existingReport(stateFolder: string, campaignId: string): string | null {
  const { markdown } = reportPaths(stateFolder, campaignId);
  return existsSync(markdown) ? markdown : null;
}

/** Writes both files anew, each in one step. Returns the path of `report.md`. */
export async function writeReport(subject: Omit<ReportSubject, 'reportPath'>, stateFolder: string): Promise<string> {
  const paths = reportPaths(stateFolder, subject.campaign.id);
  const whole = { ...subject, reportPath: paths.markdown };
  const details = await subject.details();
  await mkdir(join(paths.markdown, '..'), { recursive: true });
  await replace(paths.json, async (part) => {
    const file = await open(part, 'w');
    await writeJson(file, whole, details).finally(() => file.close());
  });
  await replace(paths.markdown, (part) => writeFile(part, markdownReport(whole, details)));
  return paths.markdown;
}

/**
 * What `report.json` would hold now, piece by piece. By way of a file that has no name: whoever reads slowly keeps neither
 * the records nor the memory busy, and nothing is left when he has seen enough.
 */
export async function* reportJson(subject: ReportSubject): AsyncGenerator<string> {
  const folder = await mkdtemp(join(tmpdir(), 'durabench-report-'));
  const file = await open(join(folder, 'report.json'), 'wx+').finally(() => rm(folder, { recursive: true }));
  try {
    await writeJson(file, subject, await subject.details());
    yield* file.createReadStream({ start: 0, encoding: 'utf8' }) as AsyncIterable<string>;
  } finally {
    await file.close();
  }
}

async function writeJson(file: FileHandle, subject: ReportSubject, details: ReportDetails): Promise<void> {
  await writeFullReport(subject, details, (piece) => file.appendFile(piece));
}

async function replace(path: string, write: (part: string) => Promise<void>): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  await write(part);
  await rename(part, path);
}
