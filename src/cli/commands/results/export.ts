import { resolve } from 'node:path';
import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { campaignSubject } from '../../../client/campaigns/campaign-subject.js';
import { withConnection } from '../../../client/connection.js';
import { exportCandidate } from '../../../client/results/export-candidate.js';
import { exportTrials } from '../../../client/results/export-trials.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { exportedTrials, EXPORT_FORMATS, type ExportFormat } from '../../../report/export/exported-trials.js';
import { counted, grouped } from '../../../report/text/number-text.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import type { Session } from '../../session.js';

const FORMATS = [...EXPORT_FORMATS, 'inspect', 'files'];

/** `durabench export [CAMPAIGN|GENERATION] --format jsonl|csv|junit|findings|inspect|files [--out PATH]`, named apart from the keyword. */
export const exportResults: CommandEntry = {
  declare: (program) =>
    program
      .command('export')
      .description(
        'all trials of a campaign for other programs (JSON lines, CSV, JUnit, logs of Inspect), its findings, or the files of a shared candidate',
      )
      .argument(
        '[campaign]',
        'id, unique prefix of an id, or latest; with --format files a generation, or a trial that graded its candidate',
        'latest',
      )
      .option('--format <format>', `one of ${FORMATS.join(', ')}`, 'jsonl')
      .option('--out <path>', 'file to write, with inspect and files a folder; default: stdout'),
  action: (session, [wanted = 'latest'], options) => {
    const format = String(options.format);
    const out = typeof options.out === 'string' ? options.out : undefined;
    const { output } = session;
    if (!FORMATS.includes(format)) throw unknownFormat(format);
    if (format === 'files') return exportFiles(session, { wanted, out });
    if (out === undefined && format === 'inspect')
      throw wantsOut('--format inspect writes a file for each system', 'durabench export --format inspect --out logs');
    if (out === undefined && output.flags.json)
      throw wantsOut('--json names the files that were written', 'durabench export --json --out trials.jsonl');
    return withConnection(session, async (connection) => {
      const id = await campaignNamed(connection, wanted);
      if (out === undefined) {
        const subject = await campaignSubject(session, connection, id);
        await output.pieces(exportedTrials(subject, format as ExportFormat));
        return EXIT.ok;
      }
      const request = { id, format: format as ExportFormat | 'inspect', out: resolve(session.cwd, out) };
      const files = await exportTrials(session, connection, request);
      if (output.flags.json) output.json('exported', { campaign: id, format, files });
      else for (const { path, bytes } of files) output.data(`${path}  ${grouped(bytes)} bytes`);
      return EXIT.ok;
    });
  },
};

function exportFiles(
  session: Session,
  { wanted, out }: { wanted: string; out: string | undefined },
): Promise<ExitCode> {
  if (out === undefined) {
    const generation = wanted.includes('/') ? wanted : 'CAMPAIGN/SYSTEM/PROJECT/REPEAT';
    throw wantsOut('--format files writes a folder', `durabench export ${generation} --format files --out candidate`);
  }
  return withConnection(session, async (connection) => {
    const exported = await exportCandidate(connection, { wanted, out: resolve(session.cwd, out) });
    const { generation, folder, files } = exported;
    if (session.output.flags.json) session.output.json('exported-candidate', exported);
    else session.output.data(`${folder}  ${counted(files, 'file')} of ${generation}`);
    return EXIT.ok;
  });
}

function unknownFormat(format: string): UserError {
  return new UserError('usage', {
    message: `--format "${format}" is not a format of export`,
    expected: `one of ${FORMATS.join(', ')}`,
    fix: 'durabench export --format csv --out trials.csv',
  });
}

const wantsOut = (message: string, fix: string): UserError =>
  new UserError('usage', { message, expected: 'a place to write to (--out)', fix });
