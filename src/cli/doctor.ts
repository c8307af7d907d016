import { plainTable } from '../report/result-table.js';
import type { CommandEntry } from './command-entry.js';
import { findings } from './doctor-checks.js';
import { EXIT } from './exit-code.js';

const MARKS = { ok: 'ok', later: 'not yet', missing: 'MISSING' } as const;

/** `durabench doctor` */
export const doctor: CommandEntry = {
  declare: (program) =>
    program.command('doctor').description('what this machine has and lacks, each with the command that mends it'),
  action: async (session) => {
    const found = await findings(session);
    const { output } = session;
    const missing = found.filter((finding) => finding.state === 'missing');
    if (output.flags.json) output.json({ ready: missing.length === 0, findings: found });
    else {
      const rows = found.map(({ name, state, detail, mend }) => [name, MARKS[state], detail, mend ?? '']);
      output.data(plainTable(['what', 'state', 'found', 'mend it with'], rows));
    }
    return missing.length === 0 ? EXIT.ok : EXIT.environment;
  },
};
