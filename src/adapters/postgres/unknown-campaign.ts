import { RecordsProblem } from './records-problem.js';

/** What a person is told who names a campaign that does not exist. */
export function unknownCampaign(id: string): RecordsProblem {
  return new RecordsProblem({
    what: `There is no campaign ${id}.`,
    allowed: 'Allowed: the id of a campaign, the unique beginning of one, or latest.',
    remedy: '`durabench list` shows the campaigns.',
  });
}
