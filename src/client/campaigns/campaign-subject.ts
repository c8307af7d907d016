import { join } from 'node:path';
import { nearest } from '../../config/nearest.js';
import type { Suite } from '../../ports/suite.js';
import { readSubject, type ReportSubject } from '../../report/report-subject.js';
import { lastReport } from '../../report/report-files.js';
import type { Context } from '../context.js';
import type { Connection } from '../connection.js';
import { UserError } from '../../domain/user-error.js';

/** Everything a reporter needs of one campaign, read anew. */
export async function campaignSubject(context: Context, place: Connection, id: string): Promise<ReportSubject> {
  const { workflowUrl } = await import('../../stack/services.js');
  const { SUITES: suites } = await import('../../../tasks/suites.js');
  const subject = await readSubject(
    {
      records: place.records,
      names: place.names,
      suites,
      suiteFolder: (suiteId) => join(context.packageRoot, 'tasks', suiteId),
      workflowUrl: (workflow) => workflowUrl(place.services.temporal, workflow),
    },
    id,
  );
  return { ...subject, report: await lastReport(subject, context.environment().stateDir) };
}

/** The suite of that id. @throws UserError for an unknown one */
export async function suiteNamed(id: string): Promise<Suite> {
  const { SUITES } = await import('../../../tasks/suites.js');
  const suite = SUITES.find((each) => each.manifest.id === id);
  if (suite !== undefined) return suite;
  const known = SUITES.map((each) => each.manifest.id);
  const meant = nearest(id, known);
  throw new UserError('usage', {
    message: `"${id}" is not a suite`,
    expected: `one of ${known.join(', ')}`,
    fix: meant === undefined ? '`durabench suites` says what each is' : `did you mean "${meant}"?`,
  });
}
