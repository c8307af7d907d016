import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { readWholeNumber } from '../../options/whole-number.js';

/** `durabench down` */
export const down: CommandEntry = {
  declare: (program) =>
    program
      .command('down')
      .description('stop this project’s stack; nothing is lost, and `up` continues where it stopped')
      .option('--grace <seconds>', 'how long processes may take to end by themselves', '15'),
  action: async (session, _args, options) => {
    const [{ stopStack }, { stopScriptedModels }, { stopStackPages }] = await Promise.all([
      import('../../../stack/stack.js'),
      import('../../../client/machine/scripted-models.js'),
      import('./stack-pages.js'),
    ]);
    const { stateDir } = session.environment();
    const grace = { least: 0, most: 9999, noun: 'whole seconds', fix: '--grace 120' };
    const graceMs = readWholeNumber('--grace', options.grace, grace) * 1000;
    const say = ({ service, text }: { service: string; text: string }): void =>
      session.output.say(`${service.padEnd(9)} ${text}`);
    const hadPages = await stopStackPages(stateDir);
    const stopped: string[] = await stopStack({ stateDir, graceMs }, say);
    if (hadPages) stopped.push('pages');
    if (await stopScriptedModels(stateDir)) stopped.push('scripted models');
    if (session.output.flags.json) session.output.json('stopped', { stopped });
    else session.output.data(stopped.length === 0 ? 'nothing was running' : `stopped ${stopped.join(', ')}`);
    return EXIT.ok;
  },
};
