import type { Command } from 'commander';
import type { Problem } from '../contract/problem.js';
import { CommandProblem } from './command-problem.js';

/** Which options go with what, by the names under which commander keeps them (`datasetVersion`). */
export interface OptionRules {
  /** Action → its options. */
  actions: Readonly<Record<string, readonly string[]>>;
  /** Option → the one it says more about. */
  needs: Readonly<Record<string, string>>;
}

/** Has a command with several actions refuse options that would be ignored: those of another action, those that lack what they are about. */
export function refuseIdleOptions(command: Command, rules: OptionRules): Command {
  return command.hook('preAction', () => {
    const [action = ''] = command.args;
    const own = rules.actions[action];
    if (own === undefined) return;
    const isGiven = (name: string): boolean => command.getOptionValueSource(name) === 'cli';
    const flag = (name: string): string =>
      command.options.find((option) => option.attributeName() === name)?.long ?? name;
    const problems = Object.keys(command.opts()).flatMap((name): Problem[] => {
      const needed = rules.needs[name];
      if (!isGiven(name)) return [];
      const remedy = `leave ${flag(name)} out`;
      if (!own.includes(name)) {
        const others = Object.keys(rules.actions).filter((other) => rules.actions[other]?.includes(name));
        const what = `${command.name()} ${action}: ${flag(name)} is an option of ${others.join(' and ')}`;
        return [{ what, allowed: own.map(flag).join(', '), remedy }];
      }
      if (needed === undefined || isGiven(needed)) return [];
      const what = `${command.name()} ${action}: ${flag(name)} says nothing without ${flag(needed)}`;
      return [
        { what, allowed: `${flag(name)} together with ${flag(needed)}`, remedy: `give ${flag(needed)}, or ${remedy}` },
      ];
    });
    if (problems.length > 0) throw new CommandProblem(problems);
  });
}
