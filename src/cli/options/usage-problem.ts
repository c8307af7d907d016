import type { Command, CommanderError, Option } from 'commander';
import { nearest } from '../../domain/text/nearest.js';
import { UserError } from '../../domain/failure/user-error.js';

/** What the parser found wrong with a command line, in our three lines. Its own words are kept for what is wrong. */
export function usageProblem(error: CommanderError, program: Command): UserError {
  const [said = '', ...hints] = error.message.split('\n');
  const command = program.commands.find((each) => each.name() === program.args[0]);
  const name = [program.name(), command?.name()].filter((part) => part !== undefined).join(' ');
  const meant =
    error.code === 'commander.unknownOption'
      ? nearestOption(said, optionsOf(command ?? program, program))
      : /^\(Did you mean (.*)\?\)$/s.exec(hints.join(' '))?.[1];
  return new UserError('usage', {
    message:
      error.code === 'commander.help' ? `${name}: no command is named` : `${name}: ${said.replace(/^error: /, '')}`,
    expected: allowed(error.code, command ?? program, program),
    fix: meant === undefined ? `see \`${name} --help\`` : `did you mean "${meant.replace(/^one of /, '')}"?`,
  });
}

/** The parser by itself finds `--quiet` near to `--budget`. */
function nearestOption(said: string, options: readonly Option[]): string | undefined {
  const typed = /'--([^'=]+)/.exec(said)?.[1];
  const meant =
    typed &&
    nearest(
      typed,
      options.flatMap(({ long }) => long?.replace(/^--/, '') ?? []),
    );
  return meant ? `--${meant}` : undefined;
}

const optionsOf = (command: Command, program: Command): Option[] => [
  ...(command === program ? [] : command.options),
  ...program.options,
];

/** `durabench help NAME` of a command there is not: the parser by itself prints the help of all. */
export function unknownHelp(argv: readonly string[], program: Command): UserError | null {
  const [first, name] = argv.filter((word) => !word.startsWith('-'));
  const known = [...program.commands.map((each) => each.name()), 'help'];
  if (first !== 'help' || name === undefined || known.includes(name)) return null;
  const meant = nearest(name, known);
  return new UserError('usage', {
    message: `${program.name()} help: "${name}" is not a command`,
    expected: `one of the commands ${known.join(', ')}`,
    fix: meant === undefined ? `see \`${program.name()} --help\`` : `did you mean "${meant}"?`,
  });
}

function allowed(code: string, command: Command, program: Command): string {
  if (code === 'commander.unknownCommand' || code === 'commander.help')
    return `the commands ${program.commands.map((each) => each.name()).join(', ')}`;
  if (code !== 'commander.unknownOption') return usageOf(command, program);
  return `the options ${optionsOf(command, program)
    .map(({ flags }) => flags)
    .join(' | ')}`;
}

/** `durabench run [options] <file>` */
function usageOf(command: Command, program: Command): string {
  return [command === program ? [] : [program.name()], command.name(), command.usage()].flat().join(' ');
}
