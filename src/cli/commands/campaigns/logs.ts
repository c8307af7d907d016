import { trialOrGenerationByPath } from '../../../client/campaigns/trial-named.js';
import { withConnection } from '../../../client/connection.js';
import { trialLogs, type LogEntry } from '../../../client/inspect/trial-logs.js';
import { plainText } from '../../../domain/text/plain-text.js';
import { snakeKeys } from '../../../report/documents/snake-keys.js';
import { grouped } from '../../../report/text/number-text.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT } from '../../exit-code.js';
import { stepName } from '../../format/attempt-lines.js';

/** Characters of one piece where everything is printed. */
const LONGEST = 100_000;

/** `durabench logs TRIAL|GENERATION [--step STAGE[/STEP]] [--evidence NAME] [--follow]` */
export const logs: CommandEntry = {
  declare: (program) =>
    program
      .command('logs')
      .description('what the steps of a trial or generation have left: prompts, answers, reports, output')
      .argument('<id>', 'trial (<campaign>/<task>/<system>/<repeat>), generation, or a unique prefix of one')
      .option('--step <step>', 'only of a stage (execute), or of one of its steps (execute/run)')
      .option('--evidence <name>', 'only what is called so, or begins so; whole, and without headings')
      .option('-f, --follow', 'go on until it has ended'),
  action: (session, [wanted = ''], options) =>
    withConnection(session, async (connection) => {
      const owner = await trialOrGenerationByPath(connection, wanted);
      const { output } = session;
      const interrupt = session.onInterrupt();
      const [step, evidence] = [options.step, options.evidence].map((each) =>
        typeof each === 'string' ? each : undefined,
      );
      try {
        const request = { step, evidence, follow: options.follow === true, signal: interrupt.signal };
        for await (const entry of trialLogs(connection, owner, request)) {
          if (output.flags.json) output.jsonLine('log', { owner: owner.id, ...documentOf(entry) });
          else for (const block of blocksOf(entry, evidence !== undefined)) output.data(block);
        }
      } finally {
        interrupt.release();
      }
      return EXIT.ok;
    }),
};

const documentOf = ({ evidence, ...entry }: LogEntry) => ({ ...snakeKeys(entry), evidence: snakeKeys(evidence) });

function blocksOf({ evidence, text, ...entry }: LogEntry, isNamed: boolean): string[] {
  if (isNamed && text !== null) return [text.replace(/\n$/, '')];
  const { name, sizeBytes, truncated } = evidence;
  const attempt = entry.failedAttempt === null ? '' : `, attempt ${entry.failedAttempt} that failed`;
  const size = `${grouped(sizeBytes)} bytes${truncated ? ', cut' : ''}${text === null ? ', no text, or kept no more' : ''}`;
  const heading = `==> ${stepName({ ...entry, n: entry.run })}${attempt}: ${plainText(name)} (${size})`;
  if (text === null) return [heading];
  const rest = text.length - LONGEST;
  const end = rest > 0 ? [`… ${grouped(rest)} more characters: --evidence ${name}`] : [];
  return [heading, text.slice(0, LONGEST).replace(/\n$/, ''), ...end, ''];
}
