import { join } from 'node:path';
import { nearest } from '../config/nearest.js';
import type { Suite, SuiteReport } from '../ports/suite.js';
import type { ReportSubject } from '../report/report-subject.js';
import { existingReport } from '../report/report-files.js';
import { workflowId } from '../domain/ids.js';
import { bookedBuild } from './booked-build.js';
import { CommandProblem } from './command-problem.js';
import type { Session } from './session.js';
import type { Workplace } from './workplace.js';

/** Everything a reporter needs of one campaign, read anew. */
export async function campaignSubject(session: Session, place: Workplace, id: string): Promise<ReportSubject> {
  const { workflowUrl } = await import('../stack/services.js');
  const { records } = place;
  // Suites are read in while the database adds up.
  const suites = import('../../tasks/suites.js');
  const [campaign, totals, events, integrity] = await Promise.all([
    records.campaign(id),
    records.trialTotals(id),
    records.events(id),
    records.integrity(id),
  ]);
  await suites;
  const suite = await suiteNamed(campaign.suite);
  const suiteFolder = join(session.packageRoot, 'tasks', campaign.suite);
  // Rows are read where somebody looks at them.
  const suiteReport = async (): Promise<SuiteReport | null> =>
    suite.report === undefined
      ? null
      : suite.report({ spec: campaign.spec, trials: await records.trials(id), suiteFolder });
  return {
    campaign,
    totals,
    trialPages: (visit) => records.trialPages(id, visit),
    events,
    integrity,
    rates: (trials) => suite.rates(trials),
    details: async () => {
      const [usage, rerun, own] = await Promise.all([
        records.campaignUsage(id),
        records.rerunTrials(id),
        suiteReport(),
      ]);
      return { suite: own, usage, rerun };
    },
    reportPath: existingReport(session.environment().stateDir, id),
    temporalUi: workflowUrl(place.services.temporal, bookedBuild(suite, campaign) ?? workflowId.campaign(id)) ?? null,
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
