import { resolve } from 'node:path';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { readWholeNumber } from '../../options/whole-number.js';
import { UserError } from '../../../domain/failure/user-error.js';
import { allSuites } from '../../../suite/registry.js';

const PORT = { least: 0, most: 65_535, noun: 'a port', fix: 'leave --port out for a free one' };

/** `durabench mock-model RULES.yaml` */
export const mockModel: CommandEntry = {
  declare: (program) =>
    program
      .command('mock-model')
      .description('a scripted OpenAI-compatible server, for tests and for trying a campaign without a key')
      .argument('<rules>', 'rules file (YAML): match → answer, usage, delay, status, cut stream')
      .option('--port <port>', 'port to listen on; 0 for any free one', '0')
      .option('--host <host>', 'address to listen on', '127.0.0.1')
      .option('--log <file>', 'append one JSON line a request'),
  action: async (session, [rules = ''], options) => {
    const { runMockModel } = await import('../../../fakes/run-mock-model.js');
    const server = await runMockModel({
      rulesPath: resolve(session.cwd, rules),
      port: readWholeNumber('--port', options.port, PORT),
      host: String(options.host),
      suites: () => allSuites(session.environment()),
      logPath: typeof options.log === 'string' ? resolve(session.cwd, options.log) : null,
    });
    if ('problems' in server) throw new UserError('usage', server.problems);
    const { output } = session;
    if (output.flags.json) output.jsonLine('mock-model', { url: server.url, port: server.port });
    else output.data(`scripted model at ${server.url} (base_url of a model); Ctrl-C stops it`);
    await new Promise<void>((stop) => {
      process.once('SIGINT', () => stop());
      process.once('SIGTERM', () => stop());
    });
    await server.close();
    output.say(`${server.requests.length} requests were answered`);
    return EXIT.ok;
  },
};
