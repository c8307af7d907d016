import { plainLine } from '../../domain/text/plain-text.js';
import type { ReportSubject } from '../../report/report-subject.js';

/** What operators asked of something, a line each. */
export const eventLines = (events: ReportSubject['events']): string[] =>
  events.map(
    ({ at, action, author, reason }) =>
      `operator     ${at} ${action} by ${plainLine(author, 60)}: ${plainLine(reason, 100)}`,
  );
