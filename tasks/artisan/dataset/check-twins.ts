import type { Problem } from '../../../src/contract/problem.js';
import { copiedCells } from '../judge/method.js';
import { hiddenCells } from '../judge/table.js';
import type { ArtisanTask } from './artisan-task.js';
import { wrong } from './read-study.js';

/** Of the hidden numbers of a table, a twin changes at least this share. */
const LEAST_CHANGED = 0.8;

/**
 * A twin that changes little, and a cell that none changes, would let a copy pass. A cell counts as changed where the judge would find
 * a copy of it out.
 */
export function twinProblems(
  study: string,
  { id, shape, printed, twins }: Pick<ArtisanTask, 'id' | 'shape' | 'printed' | 'twins'>,
): Problem[] {
  const place = `${study}/study.yaml`;
  const numbers = hiddenCells(shape).filter(({ column }) => column.type !== 'text');
  const changes = twins.map((twin) => ({ twin: twin.id, cells: copiedCells(shape, printed, twin) }));
  const little = changes
    .filter(({ cells }) => cells.length < LEAST_CHANGED * numbers.length)
    .map(({ twin, cells }) =>
      wrong(
        place,
        `twins.${twin}: changes ${cells.length} of ${numbers.length} hidden cells of ${id}`,
        'alter more of the data: four of five cells must change',
      ),
    );
  const kept = numbers.filter(
    ({ row, column }) =>
      !changes.some(({ cells }) => cells.some((cell) => cell.row === row && cell.column === column.key)),
  );
  const same = kept.map(({ row, column }) =>
    wrong(place, `twins: none changes ${row}, ${column.key} of ${id}`, 'add a twin that does, or tell the cell'),
  );
  return [...little, ...same];
}
