import { UserError } from '../../../domain/failure/user-error.js';

/** What a person is told who names a campaign that does not exist. */
export function unknownCampaign(id: string): UserError {
  return new UserError('usage', {
    message: `There is no campaign ${id}.`,
    expected: 'the id of a campaign, a unique prefix of one, or latest',
    fix: '`durabench list` shows the campaigns.',
  });
}
