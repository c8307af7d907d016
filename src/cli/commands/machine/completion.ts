import { Argument, type Command } from 'commander';
import { completionScript, SHELLS, type Shell } from '../../format/completion-script.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';

/** `durabench completion SHELL` */
export const completion: CommandEntry = {
  declare: (program) =>
    program
      .command('completion')
      .description('print a script that completes commands and options: bash, zsh or fish')
      .addArgument(new Argument('<shell>', SHELLS.join(', ')).choices(SHELLS))
      .addHelpText('after', `\n${INSTALL}`),
  action: ({ output }, [shell], _options, program: Command) => {
    const script = completionScript(shell as Shell, program);
    if (output.flags.json) output.json('completion', { shell: shell as Shell, script });
    else output.data(script.trimEnd());
    return Promise.resolve(EXIT.ok);
  },
};

const INSTALL = `To install it:
  bash  durabench completion bash > ~/.local/share/bash-completion/completions/durabench
  zsh   durabench completion zsh > "\${fpath[1]}/_durabench"
  fish  durabench completion fish > ~/.config/fish/completions/durabench.fish`;
