import { nearest } from '../../domain/text/nearest.js';
import { UserError } from '../../domain/failure/user-error.js';

/** A command was asked for what it does not do. @param example what to type where nothing near is meant */
export function unknownAction(
  command: string,
  action: string,
  { actions, example }: { actions: readonly string[]; example: string },
): UserError {
  const meant = nearest(action, actions);
  return new UserError('usage', {
    message: `${command}: "${action}" is not an action`,
    expected: actions.join(', '),
    fix: meant === undefined ? example : `did you mean "${meant}"?`,
  });
}
