import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { limitText } from '../../../report/text/in-flight-text.js';
import type { Session } from '../../session.js';

/** `durabench up` */
export const up: CommandEntry = {
  declare: (program) =>
    program
      .command('up')
      .description(
        'start this project’s stack: Postgres, Temporal dev server with Web UI, worker; detached and supervised',
      )
      .option('--foreground', 'stay in the foreground, for containers')
      .option('--no-worker', 'servers only'),
  action: async (session, _args, options) => {
    const stack = await import('../../../stack/stack.js');
    const given = { environment: session.environment(), ...(options.worker === false ? { workerCommand: null } : {}) };
    if (options.foreground === true) {
      const log = (entry: object): void => session.output.foreignJson({ time: new Date().toISOString(), ...entry });
      return (await stack.superviseInForeground(given, log)) as ExitCode;
    }
    const startedAt = Date.now();
    const started = await stack.startStack(given, ({ service, text }) =>
      session.output.say(`${service.padEnd(9)} ${text}`),
    );
    await showStack(session, { wasUp: started.wasUp, seconds: (Date.now() - startedAt) / 1000 });
    return EXIT.ok;
  },
};

async function showStack(session: Session, start: { wasUp: boolean; seconds: number }): Promise<void> {
  const { stackStatus } = await import('../../../stack/stack-status.js');
  const { output } = session;
  const environment = session.environment();
  const status = stackStatus(environment.stateDir);
  const temporalUi = status.temporalUi ?? environment.temporalUi ?? null;
  if (output.flags.json)
    return output.json('stack', {
      up: status.isUp,
      was_up: start.wasUp,
      state: status.stateDir,
      temporal_ui: temporalUi,
      services: status.services.map(({ name, mode, status: state, detail, pid, restarts }) => {
        return { name, mode, status: state, detail, pid, restarts };
      }),
    });
  output.data(start.wasUp ? 'the stack was up already' : `the stack is up (${start.seconds.toFixed(1)} s)`);
  for (const { name, mode, detail } of status.services)
    output.data(`${name.padEnd(12)} ${mode === 'off' ? 'off' : detail}`);
  if (status.workerLimits !== null) output.data(`in flight    ${limitText(status.workerLimits)}`);
  if (temporalUi !== null) output.data(`Temporal UI  ${temporalUi}`);
  output.data('stop         durabench down');
}
