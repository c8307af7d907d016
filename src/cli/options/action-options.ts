import type { Command } from 'commander';
import type { Problem } from '../../contract/problem.js';
import { UserError } from '../../domain/failure/user-error.js';

const LISTED = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** Which options go with what, by the names under which commander keeps them (`datasetVersion`). */
export interface OptionRules {
  /** Action → its options; absent where the command has no actions. */
  actions?: Readonly<Record<string, readonly string[]>>;
  /** Option → the one it needs. */
  needs: Readonly<Record<string, string>>;
  /** Option → those that have no effect beside it. */
  conflictsWith?: Readonly<Record<string, readonly string[]>>;
}

/** Has a command refuse options that would be ignored: those of another of its actions, those without the option they need, those that conflict with another. */
export function rejectUnusedOptions(command: Command, { actions, needs, conflictsWith = {} }: OptionRules): Command {
  return command.hook('preAction', () => {
    const [action = ''] = command.args;
    const own = actions?.[action];
    // An action that there is not is refused by the command.
    if (actions !== undefined && own === undefined) return;
    const place = own === undefined ? command.name() : `${command.name()} ${action}`;
    const isGiven = (name: string): boolean => command.getOptionValueSource(name) === 'cli';
    const flag = (name: string): string =>
      command.options.find((option) => option.attributeName() === name)?.long ?? name;
    const problems = Object.keys(command.opts()).flatMap((name): Problem[] => {
      const needed = needs[name];
      if (!isGiven(name)) return [];
      const fix = `leave ${flag(name)} out`;
      if (own?.includes(name) === false) {
        const others = Object.keys(actions ?? {}).filter((other) => actions?.[other]?.includes(name));
        const message = `${place}: ${flag(name)} is an option of ${LISTED.format(others)}`;
        return [{ message, expected: own.map(flag).join(', '), fix }];
      }
      const conflicting = Object.keys(conflictsWith).find(
        (other) => isGiven(other) && conflictsWith[other]?.includes(name),
      );
      if (conflicting !== undefined) {
        const message = `${place}: ${flag(name)} has no effect with ${flag(conflicting)}`;
        return [{ message, expected: `either ${flag(conflicting)} or ${flag(name)}`, fix }];
      }
      if (needed === undefined || isGiven(needed)) return [];
      const message = `${place}: ${flag(name)} requires ${flag(needed)}`;
      return [
        { message, expected: `${flag(name)} together with ${flag(needed)}`, fix: `give ${flag(needed)}, or ${fix}` },
      ];
    });
    if (problems.length > 0) throw new UserError('usage', problems);
  });
}
