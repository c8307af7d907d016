import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { childVariables, type Variables } from '../../../config/env.js';
import { makeStateFolder } from '../../../config/state-folder.js';
import { readWorkerSettings } from '../../../config/worker-settings.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { resolveServices } from '../../../stack/services.js';
import { toldProblems } from '../../../stack/supervisor/worker-service.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { failureDocument } from '../../format/failure-report.js';

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
    const flags = ['roles', 'slots'].flatMap((name) =>
      typeof options[name] === 'string' ? [`--${name}`, options[name]] : [],
    );
    // Refused here, as the options of any command are.
    readWorkerSettings(flags, environment);
    resolveServices(environment);
    const main = join(session.packageRoot, 'dist', 'src', 'worker', 'main.js');
    if (!existsSync(main)) throw notBuilt(main);
    const { output } = session;
    const run = (changes: Variables): Promise<ExitCode> =>
      endOf(
        [main, ...flags],
        childVariables(environment.variables, { DURABENCH_HOME: environment.stateDir, ...changes }),
      );
    if (!output.flags.json) return run({});
    const folder = await mkdtemp(join(makeStateFolder(environment.stateDir), 'worker-'));
    const readyFile = join(folder, 'ready.json');
    try {
      const code = await run({ DURABENCH_READY_FILE: readyFile });
      // It has printed why it could not begin, in words.
      const problems = toldProblems(readyFile);
      if (problems.length > 0) output.jsonLine('error', failureDocument(new UserError('environment', problems)));
      return code;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** Runs Node with these arguments in the foreground. @returns how it ended */
async function endOf(argv: readonly string[], env: Variables): Promise<ExitCode> {
  const child = spawn(process.execPath, argv, { stdio: 'inherit', env });
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
}

function notBuilt(main: string): UserError {
  return new UserError('environment', {
    message: `${main} is not there`,
    fix: 'npm run build',
  });
}
