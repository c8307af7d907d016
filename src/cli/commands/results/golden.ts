import { resolve } from 'node:path';
import { withConnection, type Connection } from '../../../client/connection.js';
import { checkGolden, makeGolden } from '../../../client/results/golden.js';
import { readGolden } from '../../../client/results/golden-file.js';
import { writeWhole } from '../../../client/results/write-whole.js';
import { goldenJunit } from '../../../report/export/junit-golden.js';
import type { CheckedTask, GoldenCheck } from '../../../report/results/golden.js';
import { columnTable, type TableColumn } from '../../../report/result-table.js';
import { counted } from '../../../report/text/number-text.js';
import type { CommandEntry } from '../../command-entry.js';
import { EXIT, type ExitCode } from '../../exit-code.js';
import { rejectUnusedOptions, type OptionRules } from '../../options/action-options.js';
import { unknownAction } from '../../options/unknown-action.js';
import { readWholeNumber } from '../../options/whole-number.js';
import type { Session } from '../../session.js';
import { runAsked } from '../campaigns/run.js';

const OPTIONS = {
  actions: { make: ['tasks', 'out'], check: ['set', 'junit', 'yes'] },
  needs: {},
} satisfies OptionRules;

const ACTIONS = Object.keys(OPTIONS.actions);

/** `durabench golden make CAMPAIGN`, `durabench golden check FILE|CAMPAIGN` */
export const golden: CommandEntry = {
  declare: (program) =>
    rejectUnusedOptions(
      program
        .command('golden')
        .description(
          'make: write a set of tasks that a system passed in a campaign; check: name those it fails now, exit code 100 where it does',
        )
        .argument('<action>', ACTIONS.join(', '))
        .argument(
          '<campaign>',
          'CAMPAIGN, or CAMPAIGN/SYSTEM; check: also a campaign file (YAML), which is run on the tasks of the set',
        )
        .option('--out <file>', 'make: the file to write; left out: golden.yaml')
        .option('--tasks <count>', 'make: so many tasks at most, in turn from each group; left out: 60')
        .option('--set <file>', 'check: the set; left out: golden.yaml')
        .option('--junit <file>', 'check: writes the result as JUnit too')
        .option('-y, --yes', 'check: run a file without asking, also where models cost money'),
      OPTIONS,
    ),
  action: async (session, [action = '', wanted = ''], options) => {
    if (!ACTIONS.includes(action))
      throw unknownAction('golden', action, { actions: ACTIONS, example: 'durabench golden make CAMPAIGN' });
    const count = readWholeNumber('--tasks', options.tasks ?? 60, { least: 1, most: 99_999, fix: '--tasks 60' });
    return withConnection(session, (connection) =>
      action === 'make'
        ? make(session, connection, { wanted, count, file: textOf(options.out) ?? USUAL })
        : check(session, connection, { wanted, file: textOf(options.set) ?? USUAL, options }),
    );
  },
};

const USUAL = 'golden.yaml';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

async function make(
  session: Session,
  connection: Connection,
  { wanted, count, file }: { wanted: string; count: number; file: string },
): Promise<ExitCode> {
  const out = resolve(session.cwd, file);
  const { suite, dataset, system, tasks } = await makeGolden(connection, { wanted, count, out });
  const groups = new Set(tasks.map(({ group }) => group)).size;
  if (session.output.flags.json)
    session.output.json('golden-set', { path: out, suite, dataset, system, tasks: tasks.length, groups });
  else session.output.data(`${file}  ${counted(tasks.length, 'task')} of ${counted(groups, 'group')} (${dataset})`);
  session.output.say(`next         durabench golden check FILE --set ${file}`);
  return EXIT.ok;
}

async function check(
  session: Session,
  connection: Connection,
  { wanted, file, options }: { wanted: string; file: string; options: Record<string, unknown> },
): Promise<ExitCode> {
  const path = resolve(session.cwd, file);
  const ran = /\.ya?ml$/.test(wanted)
    ? await runOn(session, connection, { file: wanted, set: path, name: file, options })
    : { id: wanted, code: EXIT.ok, hasEnded: true };
  if (ran.id === null || !ran.hasEnded) return ran.code;
  const { id: campaign } = ran;
  const found = await checkGolden(connection, {
    ...{ file: path, name: file, wanted: campaign },
    onChecked: (check) => sayCheck(session, check),
  });
  if (!session.output.flags.json && found.tasks.some(({ outcome }) => outcome === 'flipped'))
    session.output.data(
      `What flipped under that lock is quarantined in ${file}, with both trials: commit it, and find out why.`,
    );
  const junit = textOf(options.junit);
  if (junit !== undefined)
    await writeWhole(resolve(session.cwd, junit), (write) => write(goldenJunit(found)), '--junit');
  return exitOf(found);
}

/** Runs the tasks of the set, by its system where the file has it. */
async function runOn(
  session: Session,
  connection: Connection,
  { file, set, name, options }: { file: string; set: string; name: string; options: Record<string, unknown> },
): ReturnType<typeof runAsked> {
  const { readCampaign } = await import('../../../client/plans/read-campaign.js');
  const { tasks, system } = await readGolden(set, name);
  const campaign = await readCampaign(session, file);
  const isThere = campaign.spec.systems.some(({ id }) => id === system);
  const asked = { tasks: tasks.map(({ id }) => id), systems: isThere ? [system] : undefined };
  return runAsked(session, connection, campaign, { asked, options, answer: 'own' });
}

/** What regressed counts before what could not be told. */
function exitOf({ tasks }: GoldenCheck): ExitCode {
  const has = (...outcomes: CheckedTask['outcome'][]): boolean =>
    tasks.some(({ outcome }) => outcomes.includes(outcome));
  if (has('regressed')) return EXIT.regression;
  return has('ungraded', 'changed', 'missing') ? EXIT.errored : EXIT.ok;
}

const COLUMNS: readonly TableColumn<CheckedTask>[] = [
  { title: 'outcome', cell: ({ outcome }) => outcome, align: 'left' },
  { title: 'task', cell: ({ id }) => id, align: 'left', rank: 1 },
  { title: 'passed', cell: ({ trial }) => trial, align: 'left', rank: 2 },
  { title: 'now', cell: ({ now }) => now ?? '–', align: 'left' },
];

/** The worst first. */
const ORDER: readonly CheckedTask['outcome'][] = ['regressed', 'flipped', 'ungraded', 'changed', 'missing'];

function sayCheck({ output }: Session, { campaign, system, tasks, changes, quarantined }: GoldenCheck): void {
  const counts = Object.fromEntries(
    (['passed', ...ORDER] as const).map((outcome) => [
      outcome,
      tasks.filter((task) => task.outcome === outcome).length,
    ]),
  );
  if (output.flags.json) {
    output.json('golden-check', {
      ...{ campaign, system, counts, quarantined },
      tasks: tasks.map(({ sha256: _, ...task }) => task),
      changes: changes.map(({ part, before, after }) => ({ part, before, after })),
    });
    return;
  }
  const shown = ORDER.flatMap((outcome) => tasks.filter((task) => task.outcome === outcome));
  if (shown.length > 0) output.data(columnTable(COLUMNS, shown, output.width));
  const told = Object.entries(counts).filter(([outcome, count]) => count > 0 || outcome === 'passed');
  output.data(`${campaign}/${system}: ${told.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`);
  output.data(
    changes.length === 0
      ? 'The lock is that of the set.'
      : `The lock differs from that of the set in ${changes.map(({ part }) => part).join(', ')}.`,
  );
  if (quarantined.length > 0) output.data(`Quarantined before, and not checked: ${quarantined.join(', ')}`);
  const [first] = shown.filter(({ now }) => now !== null);
  if (first !== undefined) output.say(`next         durabench show ${first.now}`);
}
