import type { Command, Option } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A script that completes commands, options and choices in this shell, from the program as it declares itself. Elsewhere files are completed. */
export function completionScript(shell: Shell, program: Command): string {
  const name = program.name();
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](name, program);
}

/** What a command offers: its choices, its options, and those that every command has. */
interface Offer {
  command: string;
  choices: readonly string[];
  options: readonly Option[];
}

function offersOf(program: Command): Offer[] {
  return program.commands.map((command) => ({
    command: command.name(),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    options: [...command.options, ...program.options],
  }));
}

const flagsOf = (options: readonly Option[]): string[] =>
  options.flatMap(({ short, long }) => [short, long]).filter((flag) => flag !== undefined);

/** No shell reads anything into it. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’').replaceAll('\n', ' ')}'`;

function bashScript(name: string, program: Command): string {
  const first = [...program.commands.map((command) => command.name()), ...flagsOf(program.options)];
  const cases = offersOf(program).map(
    ({ command, choices, options }) =>
      `    ${command}) words=${quoted([...choices, ...flagsOf(options)].join(' '))} ;;`,
  );
  return `# bash completion of ${name}
_${name}() {
  local current=\${COMP_WORDS[COMP_CWORD]} command='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  case $command in
    '') words=${quoted(first.join(' '))} ;;
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${name} ${name}
`;
}

function zshScript(name: string, program: Command): string {
  const described = (word: string, text: string): string => quoted(`${word.replaceAll(':', '\\:')}:${text}`);
  const commands = program.commands.map((command) => `    ${described(command.name(), command.description())}`);
  const cases = offersOf(program).map(
    ({ command, choices, options }) => `    ${command}) compadd -- ${[...choices, ...flagsOf(options)].join(' ')} ;;`,
  );
  return `#compdef ${name}
_${name}() {
  local -a commands
  commands=(
${commands.join('\n')}
  )
  local at=2
  while (( at < CURRENT )) && [[ \${words[at]} == -* ]]; do (( at++ )); done
  if (( at == CURRENT )); then
    _describe command commands
    compadd -- ${flagsOf(program.options).join(' ')}
    return
  fi
  case \${words[at]} in
${cases.join('\n')}
  esac
  _files
}
# Read by compinit, this file is the function: its first call has to complete as well.
if [[ \${funcstack[1]} == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
`;
}

function fishScript(name: string, program: Command): string {
  const flags = (option: Option): string =>
    [
      option.short === undefined ? [] : [`-s ${option.short.slice(1)}`],
      option.long === undefined ? [] : [`-l ${option.long.slice(2)}`],
      option.required ? ['-r'] : [],
      [`-d ${quoted(option.description)}`],
    ]
      .flat()
      .join(' ');
  const commands = program.commands.map(
    (command) =>
      `complete -c ${name} -f -n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`,
  );
  const own = program.commands.flatMap((command) => {
    const seen = `-n '__fish_seen_subcommand_from ${command.name()}'`;
    const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
    return [
      ...(choices.length > 0 ? [`complete -c ${name} -f ${seen} -a ${quoted(choices.join(' '))}`] : []),
      ...command.options.map((option) => `complete -c ${name} ${seen} ${flags(option)}`),
    ];
  });
  const everywhere = program.options.map((option) => `complete -c ${name} ${flags(option)}`);
  return [`# fish completion of ${name}`, ...commands, ...own, ...everywhere, ''].join('\n');
}
