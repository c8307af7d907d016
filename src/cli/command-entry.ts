import type { Command } from 'commander';
import type { ExitCode } from './exit-code.js';
import type { Session } from './session.js';

/** What a command does with its arguments and options. @returns the exit code. @throws UserError for problems */
type CommandAction = (
  session: Session,
  args: readonly string[],
  options: Record<string, unknown>,
  program: Command,
) => Promise<ExitCode>;

/** One entry of the list of commands. Its file imports nothing heavy: adapters are loaded by the action. */
export interface CommandEntry {
  /** Adds the command with its arguments, options and help, and returns it. */
  declare(program: Command): Command;
  action: CommandAction;
}
