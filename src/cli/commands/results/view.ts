import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { campaignNamed } from '../../../client/campaigns/campaign-named.js';
import { withConnection } from '../../../client/connection.js';
import { viewSource, type ViewSource } from '../../../client/view/view-source.js';
import { counted, grouped } from '../../../report/text/number-text.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { readWholeNumber } from '../../options/whole-number.js';
import type { Session } from '../../session.js';

const PORT = { least: 0, most: 65_535, noun: 'a port', fix: 'leave --port out for the next free one' };

/** `durabench view [CAMPAIGN]` */
export const view: CommandEntry = {
  declare: (program) =>
    program
      .command('view')
      .description('pages to look at campaigns, trials and model calls in a browser; read-only, for this machine alone')
      .argument('[campaign]', 'id, unique prefix of an id, or latest; left out: all campaigns')
      .option('--port <port>', 'port to listen on; left out: 8700, or the next that is free')
      .option('--open', 'opens the browser')
      .option(
        '--export <folder>',
        'writes the pages as files with relative links instead; everything that is shown is in them',
      ),
  action: (session, [wanted], options) => {
    const port = options.port === undefined ? undefined : readWholeNumber('--port', options.port, PORT);
    return withConnection(session, async (connection) => {
      const campaign = wanted === undefined ? null : await campaignNamed(connection, wanted);
      const source = viewSource(session, connection);
      if (typeof options.export === 'string')
        return exportTo(session, source, { folder: resolve(session.cwd, options.export), campaign });
      const { startViewServer } = await import('../../../view/view-server.js');
      const server = await startViewServer(source, { port });
      const address = campaign === null ? server.url : `${server.url}campaign/${campaign}`;
      const interrupt = session.onInterrupt();
      try {
        tell(session, { address, port: server.port });
        if (options.open === true) openBrowser(session, address);
        await new Promise<void>((stop) => {
          if (interrupt.signal.aborted) stop();
          interrupt.signal.addEventListener('abort', () => stop());
        });
      } finally {
        interrupt.release();
        await server.close();
      }
      return EXIT.ok;
    });
  },
};

/** `--export` */
async function exportTo(
  { output }: Session,
  source: ViewSource,
  { folder, campaign }: { folder: string; campaign: string | null },
): Promise<ExitCode> {
  const { exportPages } = await import('../../../view/export-pages.js');
  const all = campaign === null ? await source.campaigns({ limit: 100_000 }) : [];
  const campaigns = campaign === null ? all.map(({ id }) => id) : [campaign];
  const onProgress = (pages: number): void => output.say(`${grouped(pages)} pages are written`);
  const pages = await exportPages({ source, folder, campaigns, onProgress });
  if (output.flags.json) output.json('view-export', { folder, campaigns, pages });
  else output.data(`${join(folder, 'index.html')}  ${counted(pages, 'page')}`);
  return EXIT.ok;
}

function tell({ output }: Session, { address, port }: { address: string; port: number }): void {
  if (output.flags.json) output.jsonLine('view', { url: address, port });
  else output.data(`view at ${address} (read-only, this machine alone); Ctrl-C stops it`);
}

/** What a desktop opens an address with. */
const OPENERS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer' };

function openBrowser(session: Session, address: string): void {
  const opener = OPENERS[process.platform] ?? 'xdg-open';
  const child = spawn(opener, [address], { stdio: 'ignore', detached: true });
  child.on('error', () => session.output.warn(`no browser could be opened (${opener}); the address is ${address}`));
  child.unref();
}
