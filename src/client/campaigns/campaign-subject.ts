import { readSubject, type ReportSubject } from '../../report/report-subject.js';
import { lastReport } from '../../report/report-files.js';
import type { Context } from '../context.js';
import type { Connection } from '../connection.js';

/** Everything a reporter needs of one campaign, read anew. */
export async function campaignSubject(context: Context, connection: Connection, id: string): Promise<ReportSubject> {
  const { workflowUrl } = await import('../../stack/services.js');
  const subject = await readSubject(
    {
      records: connection.records,
      blobs: connection.blobs,
      names: connection.names,
      suiteNamed: connection.suiteNamed,
      packageRoot: context.packageRoot,
      workflowUrl: (workflow) => workflowUrl(connection.services.temporal, workflow),
    },
    id,
  );
  return { ...subject, report: await lastReport(subject, context.environment().stateDir) };
}
