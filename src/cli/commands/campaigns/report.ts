import { createReadStream } from 'node:fs';
import { exportedTrials } from '../../../report/export/exported-trials.js';
import { failureTables } from '../../../report/failures/failure-tables.js';
import { figureTables, intervalNotes } from '../../../report/figures/figure-tables.js';
import { detailTables } from '../../../report/report-details.js';
import { detailTable, resultTable } from '../../../report/result-table.js';
import { scoreRows } from '../../../report/score-rows.js';
import { statusReport } from '../../../report/status-report.js';
import { reasonLines, spendLines } from '../../format/campaign-end.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { withConnection } from '../../../client/connection.js';
import { writeCampaignReport } from '../../../client/inspect/campaign-report.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** Formats that are files beside the report, by their endings. */
const FILES = ['md', 'html', 'json'];
/** All trials, for other programs. */
const TRIALS = ['csv', 'junit'] as const;
const FORMATS = ['table', ...FILES, ...TRIALS];

/** `durabench report [CAMPAIGN] [--format table|md|html|json|csv|junit]` */
export const report: CommandEntry = {
  declare: (program) =>
    program
      .command('report')
      .description(
        'write report.html, report.md and report.json, and print the result (--json: the summary; --format json: all of it)',
      )
      .argument('[campaign]', 'id, unique prefix of an id, or latest', 'latest')
      .option('--format <format>', `one of ${FORMATS.join(', ')}`, 'table'),
  action: (session, [wanted = 'latest'], options) => {
    const format = String(options.format);
    if (!FORMATS.includes(format)) throw unknownFormat(format);
    return withConnection(session, async (connection) => {
      const id = await campaignNamed(connection, wanted);
      const written = await writeCampaignReport(session, connection, id);
      const { campaign } = written;
      const { path, page } = written.report;
      const { output } = session;
      if (output.flags.json) output.json('status', statusReport(written));
      else if (FILES.includes(format))
        await output.pieces(createReadStream(path.replace(/md$/, format), 'utf8') as AsyncIterable<string>);
      else if (isOfTrials(format)) await output.pieces(exportedTrials(written, format));
      else {
        output.data(`campaign     ${id}: ${campaign.dataset}, ${campaign.status.replace('_', ' ')}`);
        output.data(`\n${resultTable(written, output.width)}\n`);
        const scores = scoreRows(written);
        for (const note of intervalNotes(scores)) output.data(note);
        output.data('');
        for (const table of figureTables(scores)) output.data(`${detailTable(table, output.width)}\n`);
        for (const table of detailTables(await written.details())) output.data(`${detailTable(table, output.width)}\n`);
        for (const table of failureTables(written.analysis)) output.data(`${detailTable(table, output.width)}\n`);
        for (const line of [...reasonLines(written), ...spendLines(written)]) output.data(line);
      }
      output.say(`report       ${page}`);
      return EXIT.ok;
    });
  },
};

const isOfTrials = (format: string): format is (typeof TRIALS)[number] => TRIALS.some((each) => each === format);

function unknownFormat(format: string): UserError {
  return new UserError('usage', {
    message: `--format "${format}" is not a report format`,
    expected: `one of ${FORMATS.join(', ')}`,
    fix: 'leave --format out for the table',
  });
}
