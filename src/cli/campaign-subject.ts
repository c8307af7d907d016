import { join } from 'node:path';
import { nearest } from '../config/nearest.js';
import type { Suite } from '../ports/suite.js';
import type { ReportSubject } from '../report/report-subject.js';
import { existingReport } from '../report/report-files.js';
import { workflowId } from '../domain/ids.js';
import { CommandProblem } from './command-problem.js';
import type { Session } from './session.js';
import type { Workplace } from './workplace.js';

/** Everything a reporter needs of one campaign, read anew. */
export async function campaignSubject(session: Session, place: Workplace, id: string): Promise<ReportSubject> {
  const { workflowUrl } = await import('../stack/services.js');
  const { records } = place;
  const [campaign, trials, events, integrity] = await Promise.all([
    records.campaign(id),
    records.trials(id),
    records.events(id),
    records.integrity(id),
  ]);
  const suite = await suiteNamed(campaign.suite);
  const suiteFolder = join(session.packageRoot, 'tasks', campaign.suite);
  return {
    campaign,
    trials,
    events,
    integrity,
    rates: (rows) => suite.rates(rows),
    details: async () => ({
      suite: (await suite.report?.({ spec: campaign.spec, trials, suiteFolder })) ?? null,
      usage: await place.records.campaignUsage(id),
    }),
    reportPath: existingReport(session.environment().stateDir, id),
    temporalUi: workflowUrl(place.services.temporal, workflowId.campaign(id)) ?? null,
  };
}

/** The suite of that id. @throws CommandProblem for an unknown one */
export async function suiteNamed(id: string): Promise<Suite> {
  const { SUITES } = await import('../../tasks/suites.js');
  const suite = SUITES.find((each) => each.manifest.id === id);
  if (suite !== undefined) return suite;
  const known = SUITES.map((each) => each.manifest.id);
  const meant = nearest(id, known);
  throw new CommandProblem({
    what: `"${id}" is not a suite`,
    allowed: `one of ${known.join(', ')}`,
    remedy: meant === undefined ? '`durabench suites` says what each is' : `did you mean "${meant}"?`,
  });
}
