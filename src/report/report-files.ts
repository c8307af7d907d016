import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
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
  await replace(paths.json, (part) => writeJson(part, whole, details));
  await replace(paths.markdown, (part) => writeFile(part, markdownReport(whole, details)));
  return paths.markdown;
}

async function writeJson(path: string, subject: ReportSubject, details: ReportDetails): Promise<void> {
  const file = await open(path, 'w');
  try {
    await writeFullReport(subject, details, (piece) => file.appendFile(piece));
  } finally {
    await file.close();
  }
}

async function replace(path: string, write: (part: string) => Promise<void>): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  await write(part);
  await rename(part, path);
}
