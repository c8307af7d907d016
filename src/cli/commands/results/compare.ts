import { withConnection } from '../../../client/connection.js';
import { compareSystems, type Comparison } from '../../../client/results/compare-systems.js';
import { columnTable } from '../../../report/result-table.js';
import {
  FLIP_COLUMNS,
  methodLines,
  pairColumns,
  pairLines,
  RATE_COLUMNS,
  systemName,
} from '../../../report/results/comparison-tables.js';
import { grouped } from '../../../report/text/number-text.js';
import type { CommandEntry } from '../../command-entry.js';
import type { Session } from '../../session.js';
import { EXIT } from '../../exit-code.js';
import { readWholeNumber } from '../../options/whole-number.js';

/** `durabench compare A [B]` */
export const compare: CommandEntry = {
  declare: (program) =>
    program
      .command('compare')
      .description('compare systems on the same tasks: flipped tasks, difference with its interval, exact tests')
      .argument('<a>', 'CAMPAIGN, CAMPAIGN/SYSTEM, or a log of Inspect (.json)')
      .argument('[b]', 'the same; left out: the systems of campaign <a> with one another')
      .option('-n, --limit <count>', 'how many flipped tasks of a pair are shown', '20'),
  action: (session, [a = '', b], options) => {
    const limit = readWholeNumber('--limit', options.limit, { least: 1, most: 99_999, fix: '--limit 20' });
    return withConnection(session, async (connection) => {
      sayComparison(session.output, await compareSystems(connection, a, { other: b, cwd: session.cwd }), limit);
      return EXIT.ok;
    });
  },
};

/** Flipped tasks first, then the figures, then what they come to. @param limit of flipped tasks of a pair */
export function sayComparison(output: Session['output'], { pairs, notes }: Comparison, limit: number): void {
  if (output.flags.json) {
    output.json('comparison', { pairs, notes });
    return;
  }
  for (const pair of pairs.filter(({ flips }) => flips.length > 0)) {
    output.data(
      `${systemName(pair.a)} → ${systemName(pair.b)}: ${grouped(pair.lost)} lost, ${grouped(pair.gained)} gained`,
    );
    output.data(columnTable(FLIP_COLUMNS, pair.flips.slice(0, limit), output.width));
    const more = pair.flips.length - limit;
    output.data(more > 0 ? `… and ${grouped(more)} more (--limit ${pair.flips.length})\n` : '');
  }
  output.data(columnTable(pairColumns(pairs), pairs, output.width));
  const rates = pairs.flatMap((pair) => pair.columns.map((column) => ({ ...column, pair })));
  if (rates.length > 0) output.data(`\n${columnTable(RATE_COLUMNS, rates, output.width)}`);
  for (const line of ['', ...pairs.flatMap(pairLines), ...notes, ...methodLines(pairs)]) output.data(line);
  const [shown] = pairs.flatMap(({ b, flips }) =>
    flips.map((flip) => (b.source === 'campaign' ? flip.b.trial : flip.a.trial)),
  );
  if (shown !== undefined) output.say(`next         durabench show ${shown}`);
}
