import { nearest } from '../config/nearest.js';
import { CommandProblem } from './command-problem.js';

/** A command was asked for what it does not do. @param example what to type where nothing near is meant */
export function unknownAction(
  command: string,
  action: string,
  { actions, example }: { actions: readonly string[]; example: string },
): CommandProblem {
  const meant = nearest(action, actions);
  return new CommandProblem({
    what: `${command}: "${action}" is not an action`,
    allowed: actions.join(', '),
    remedy: meant === undefined ? example : `did you mean "${meant}"?`,
  });
}
