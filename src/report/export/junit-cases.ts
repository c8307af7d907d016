import { plainText } from '../../domain/text/plain-text.js';
import type { TrialRow } from '../../ports/records.js';
import { outcomeCounts } from '../outcome-counts.js';
import type { ReportSubject } from '../report-subject.js';
import { messageLines } from '../text/message-lines.js';
import { workSeconds } from '../work-times.js';

/** Characters of a message: CI systems show the beginning. */
const LONGEST_MESSAGE = 2_000;

/** The head of a JUnit file: one suite, the campaign, with its counts. Trials that were not run are skipped tests. */
export function junitHead({ campaign, totals }: Pick<ReportSubject, 'campaign' | 'totals'>): string {
  const { trials, failed, errored, passed } = outcomeCounts(totals.tallies);
  const counts = `tests="${trials}" failures="${failed}" errors="${errored}" skipped="${trials - passed - failed - errored}"`;
  const at = campaign.createdAt.slice(0, 19);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${junitText(campaign.name)}" ${counts}>`,
    `<testsuite name="${junitText(campaign.id)}" ${counts} timestamp="${at}">`,
    '',
  ].join('\n');
}

export const JUNIT_TAIL = '</testsuite>\n</testsuites>\n';

/** A test case a trial: its class is system and group, its name task and repeat. */
export function junitCases(trials: readonly TrialRow[]): string {
  return trials.map((trial) => `${junitCase(trial)}\n`).join('');
}

function junitCase(trial: TrialRow): string {
  const { systemId, group, taskId, repeat } = trial;
  const name = `${taskId}${repeat === 1 ? '' : ` #${repeat}`}`;
  const head = `<testcase classname="${junitText(`${systemId}.${group}`)}" name="${junitText(name)}" time="${(workSeconds(trial) ?? 0).toFixed(3)}"`;
  const end = endOf(trial);
  return end === '' ? `${head}/>` : `${head}>${end}</testcase>`;
}

function endOf({ id, outcome, reason, blame, message, advice }: TrialRow): string {
  if (outcome === 'passed') return '';
  const type = junitText(reason ?? 'unknown');
  if (outcome === null || outcome === 'not_run') return `<skipped message="${type}"/>`;
  const element = outcome === 'failed' ? 'failure' : 'error';
  const lines = [...messageLines({ message: message ?? '', ...advice }, LONGEST_MESSAGE), `durabench show ${id}`];
  return `<${element} type="${type}" message="${junitText(`${reason ?? 'unknown'} (${blame ?? 'unknown'})`)}">${escaped(lines.join('\n'))}</${element}>`;
}

/** Text in XML 1.0: what it has no place for (control characters, halves of pairs) is gone. */
function escaped(text: string): string {
  return plainText(text)
    .replace(/[^\t\n\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Text for an attribute or an element. */
export const junitText = (text: string): string =>
  escaped(text)
    .replaceAll('"', '&quot;')
    .replace(/[\t\n]/g, ' ');
