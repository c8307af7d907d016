import { plainTable } from '../../../report/result-table.js';
import { loosenedRows, sandboxLimitRows } from '../../../report/sandbox-limit-rows.js';
import type { CommandEntry } from '../../command-entry.js';
import { snakeKeys } from '../../../report/documents/snake-keys.js';
import { findings } from '../../../client/machine/doctor-checks.js';
import { EXIT } from '../../exit-code.js';
import { sandboxChecks, type SandboxChecks } from '../../../client/machine/sandbox-checks.js';

const MARKS = { ok: 'ok', later: 'not yet', missing: 'MISSING' } as const;

/** `durabench doctor` */
export const doctor: CommandEntry = {
  declare: (program) =>
    program
      .command('doctor')
      .description('what this machine has and lacks, each with the command that fixes it')
      .option('--sandbox', 'also the limits of the sandbox, and its guarantees checked from inside a container'),
  action: async (session, _args, options) => {
    const sandbox = options.sandbox === true ? await sandboxChecks(session) : undefined;
    const found = [...(await findings(session)), ...(sandbox?.findings ?? [])];
    const { output } = session;
    const missing = found.filter((finding) => finding.state === 'missing');
    if (output.flags.json)
      output.json('doctor', {
        ...{ ready: missing.length === 0, findings: found },
        ...(sandbox && { sandbox_limits: snakeKeys(sandbox.limits), loosened_by_suites: loosenedReport(sandbox) }),
      });
    else {
      const rows = found.map(({ name, state, detail, fix }) => [name, MARKS[state], detail, fix ?? '']);
      output.data(
        plainTable(['what', 'state', 'found', 'fix'], rows, [], { width: output.width, ranks: [0, 0, 1, 0] }),
      );
      if (sandbox) output.data(`\n${limitTables(sandbox, output.width)}`);
    }
    return missing.length === 0 ? EXIT.ok : EXIT.environment;
  },
};

function loosenedReport({ loosened }: SandboxChecks) {
  const ofSuite = (named: SandboxChecks['loosened'][string]) =>
    Object.fromEntries(Object.entries(named).map(([purpose, limits]) => [purpose, snakeKeys(limits)]));
  return Object.fromEntries(Object.entries(loosened).map(([suite, named]) => [suite, ofSuite(named)]));
}

function limitTables({ limits, loosened }: SandboxChecks, width: number): string {
  const rows = Object.entries(loosened).flatMap(([suite, named]) => loosenedRows(named).map((row) => [suite, ...row]));
  const defaults = plainTable(['sandbox limit', 'default'], sandboxLimitRows(limits));
  return rows.length === 0
    ? defaults
    : `${defaults}\n\n${plainTable(['suite', 'for', 'names its own'], rows, [], { width, ranks: [] })}`;
}
