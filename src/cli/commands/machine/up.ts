import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { limitText } from '../../../report/text/in-flight-text.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { readWholeNumber } from '../../options/whole-number.js';
import type { Session } from '../../session.js';
import { stackPages, startStackPages } from './stack-pages.js';

/** `durabench up` */
export const up: CommandEntry = {
  declare: (program) =>
    program
      .command('up')
      .description(
        'start this project’s stack: Postgres, Temporal dev server with Web UI, worker; detached and supervised',
      )
      .option('--foreground', 'stay in the foreground, for containers')
      .option('--no-worker', 'servers only')
      .option('--view [port]', 'the pages of `view` too, until `down`; on port 8700, or the next that is free'),
  action: async (session, _args, options) => {
    const pages = pagesOf(options);
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
    if (pages !== undefined) await startStackPages(session, pages);
    await showStack(session, { wasUp: started.wasUp, seconds: (Date.now() - startedAt) / 1000 });
    return EXIT.ok;
  },
};

/** @returns the port of the pages that are asked for, null for any; undefined where none are */
function pagesOf({ view, foreground }: Record<string, unknown>): number | null | undefined {
  if (view === undefined) return undefined;
  if (foreground === true)
    throw new UserError('usage', {
      message: 'up: --view has no effect with --foreground',
      expected: 'one of the two',
      fix: 'durabench view in a terminal of its own',
    });
  return view === true ? null : readWholeNumber('--view', view, PORT);
}

const PORT = { least: 1, most: 65_535, noun: 'a port', fix: 'leave the port out for the next free one' };

async function showStack(session: Session, start: { wasUp: boolean; seconds: number }): Promise<void> {
  const { stackStatus } = await import('../../../stack/stack-status.js');
  const { output } = session;
  const environment = session.environment();
  const status = stackStatus(environment.stateDir);
  const temporalUi = status.temporalUi ?? environment.temporalUi ?? null;
  const pages = stackPages(environment.stateDir);
  if (output.flags.json)
    return output.json('stack', {
      up: status.isUp,
      was_up: start.wasUp,
      state: status.stateDir,
      temporal_ui: temporalUi,
      pages,
      services: status.services.map(({ name, mode, status: state, detail, pid, restarts }) => {
        return { name, mode, status: state, detail, pid, restarts };
      }),
    });
  output.data(start.wasUp ? 'the stack was up already' : `the stack is up (${start.seconds.toFixed(1)} s)`);
  for (const { name, mode, detail } of status.services)
    output.data(`${name.padEnd(12)} ${mode === 'off' ? 'off' : detail}`);
  if (status.workerLimits !== null) output.data(`in flight    ${limitText(status.workerLimits)}`);
  if (temporalUi !== null) output.data(`Temporal UI  ${temporalUi}`);
  if (pages !== null) output.data(`pages        ${pages}`);
  output.data('stop         durabench down');
}
