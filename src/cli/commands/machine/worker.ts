import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { childVariables } from '../../../config/env.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { UserError } from '../../../domain/failure/user-error.js';

/** `durabench worker` */
export const worker: CommandEntry = {
  declare: (program) =>
    program
      .command('worker')
      .description('run one more worker in the foreground, on this stack or on the servers the environment names')
      .option('--roles <list>', 'queues to poll: workflows, light, model, sandbox; all when left out')
      .option('--slots <list>', 'activities at once: light=16,model=8,sandbox=2'),
  action: async (session, _args, options) => {
    const environment = session.environment();
    const main = join(session.packageRoot, 'dist', 'src', 'worker', 'main.js');
    if (!existsSync(main)) throw notBuilt(main);
    const flags = ['roles', 'slots'].flatMap((name) =>
      typeof options[name] === 'string' ? [`--${name}`, options[name]] : [],
    );
    // The ready file belongs to the supervised worker.
    const env = childVariables(environment.variables, {
      DURABENCH_HOME: environment.stateDir,
      DURABENCH_READY_FILE: undefined,
    });
    const child = spawn(process.execPath, [main, ...flags], { stdio: 'inherit', env });
    // The terminal sends Ctrl-C to the child as well; this process only waits for it to finish its calls.
    const forward = (signal: NodeJS.Signals): void => void (signal === 'SIGTERM' && child.kill(signal));
    process.on('SIGINT', forward);
    process.on('SIGTERM', forward);
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (status, signal) => resolve(status ?? (signal === 'SIGINT' ? EXIT.aborted : EXIT.usage)));
    });
    process.off('SIGINT', forward);
    process.off('SIGTERM', forward);
    return code as ExitCode;
  },
};

function notBuilt(main: string): UserError {
  return new UserError('environment', {
    message: `${main} is not there`,
    fix: 'npm run build',
  });
}
